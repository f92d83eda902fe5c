import assert from 'node:assert/strict';
import { estimateTokens } from '../../../src/dialects/tokenEstimate.ts';
import { PER_IMAGE, PER_MESSAGE, countTokens } from '../../../src/shared/tokens.ts';

const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(10_000)}` } } as const;

describe('estimateTokens()', () => {
  it('adds the texts of all messages', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello there' }] },
      { role: 'tool', tool_call_id: '1', content: 'result' },
    ] as const;
    const texts = ['Be brief.', 'Hello there', 'result'].map(countTokens);
    const expected = texts.reduce((total, count) => total + count, 0) + 3 * PER_MESSAGE;
    assert.equal(estimateTokens({ messages: messages.map((message) => structuredClone(message)) as never }), expected);
  });

  it('counts an image as an image, whatever its size', () => {
    assert.equal(estimateTokens({ messages: [{ role: 'user', content: [IMAGE] }] }), PER_IMAGE + PER_MESSAGE);
  });

  it('counts the tools and the calls', () => {
    const tool = { type: 'function', function: { name: 'run', parameters: { type: 'object' } } } as const;
    const call = { id: '1', type: 'function', function: { name: 'run', arguments: '{"a":1}' } } as const;
    const messages = [{ role: 'assistant', content: null, tool_calls: [call] }] as const;
    assert.equal(
      estimateTokens({ messages: [...messages] as never, tools: [tool] }),
      2 * PER_MESSAGE + countTokens(JSON.stringify(tool)) + countTokens(JSON.stringify([call])),
    );
  });

  it('counts all texts with another function', () => {
    const call = { id: '1', type: 'function', function: { name: 'run', arguments: '{}' } } as const;
    const messages = [
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: null, tool_calls: [call] },
    ];
    const texts: string[] = [];
    const countText = (text: string) => texts.push(text);
    assert.equal(estimateTokens({ messages }, countText), 1 + 2 + 2 * PER_MESSAGE);
    assert.deepEqual(texts, ['Hello', JSON.stringify([call])]);
  });

  it('is 0 for nothing', () => {
    assert.equal(estimateTokens({ messages: [] }), 0);
  });
});
