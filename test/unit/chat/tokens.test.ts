import assert from 'node:assert/strict';
import { countMessageTokens } from '../../../src/chat/tokens.ts';

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
