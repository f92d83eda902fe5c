import assert from 'node:assert/strict';
import { countTokens } from '../../../src/shared/tokens.ts';

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

  it('counts words and spaces of any length', () => {
    for (const text of [`${'a'.repeat(20_000_000)}日`, `${' '.repeat(20_000_000)}日`]) {
      assert.ok(countTokens(text) >= 1_000_000);
    }
  });
});
