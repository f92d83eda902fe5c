import assert from 'node:assert/strict';
import type { Message } from '../../../src/chat/request.ts';
import { ResponseUsage, countMessageTokens } from '../../../src/chat/tokens.ts';
import { countTokens } from '../../../src/shared/tokens.ts';

const HELLO: Message = { role: 'user', parts: [{ kind: 'text', text: 'Hello, how are you?' }] };
const TOOL = { name: 'read', description: 'Reads a file', schema: undefined };

describe('countMessageTokens()', () => {
  it('grows with every part of a message', () => {
    const parts = [
      { kind: 'text', text: 'x'.repeat(300) },
      { kind: 'image', mime: 'image/png', data: new Uint8Array(9) },
      { kind: 'toolCall', id: '1', name: 'read', input: { path: 'a' } },
      { kind: 'toolResult', id: '1', parts: [{ kind: 'text', text: 'y'.repeat(30) }] },
    ] as const;
    const counts = [0, 1, 2, 3, 4].map((length) => countMessageTokens({ role: 'user', parts: parts.slice(0, length) }));
    assert.deepEqual(
      counts.map((count, index) => count > (counts[index - 1] ?? 0)),
      [true, true, true, true, true],
    );
    assert.equal((counts[1] ?? 0) - (counts[0] ?? 0), 75);
    assert.equal(countMessageTokens({ role: 'assistant', parts: [{ kind: 'thinking' }] }), counts[0]);
  });
});

describe('ResponseUsage', () => {
  it('estimates nothing if the backend has reported the usage', () => {
    const usage = new ResponseUsage({ messages: [HELLO], tools: [] });
    usage.add({ kind: 'text', text: 'Fine.' });
    usage.add({ kind: 'usage', input: 7, output: 0 });
    assert.equal(usage.estimate(), undefined);
  });

  it('estimates the prompt with its tools, and everything in the response', () => {
    const usage = new ResponseUsage({ messages: [HELLO, HELLO], tools: [TOOL] });
    usage.add({ kind: 'thinking', text: 'They are polite. ' });
    usage.add({ kind: 'text', text: 'Let me look.' });
    usage.add({ kind: 'toolCall', id: '1', name: 'read', input: { path: 'notes' } });
    usage.add({ kind: 'cutOff', message: 'It was cut off.' });
    assert.deepEqual(usage.estimate(), {
      kind: 'usage',
      input: 2 * countMessageTokens(HELLO) + countTokens(JSON.stringify([TOOL])),
      output: countTokens('They are polite. Let me look.read{"path":"notes"}'),
    });
  });
});
