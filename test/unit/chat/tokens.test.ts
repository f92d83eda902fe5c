import assert from 'node:assert/strict';
import { countMessageTokens, countTokens } from '../../../src/chat/tokens.ts';

describe('countTokens()', () => {
  it('counts at least as many tokens as a common tokenizer, and not far more', () => {
    // Counted by o200k_base.
    for (const [text, count] of [
      ['', 0],
      ['Hello, world!', 4],
      ['The quick brown fox jumps over the lazy dog.', 10],
      ['export function add(a: number, b: number): number {\n  return a + b;\n}\n', 20],
      ['{"a":[1,2,3],"b":{"c":null}}', 15],
      ['こんにちは世界', 2],
      ['0123456789abcdef'.repeat(4), 20],
      ['\t\t\t\tx\n\n\n\n', 3],
    ] as const) {
      const estimate = countTokens(text);
      assert.ok(estimate >= count && estimate <= 4 * count, `${text}: ${estimate}`);
    }
  });
});

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
