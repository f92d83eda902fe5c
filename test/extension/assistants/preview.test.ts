import assert from 'node:assert/strict';
import { maskSecrets, maskValue } from '../../../src/extension/assistants/preview.ts';

const KEY = `sealed-${'k'.repeat(43)}`;
const MASK = '••••••••';

describe('A preview', () => {
  it('covers every key, ours and theirs', () => {
    for (const [text, wanted] of [
      [`x ${KEY} y ${KEY}`, `x ${MASK} y ${MASK}`],
      [`sealed-${'-_aZ0'.repeat(8)}abc`, MASK],
      ['"apiKey": "abc \\" def",', `"apiKey": "${MASK}",`],
      ["'api_key': 'abc'", `'api_key': '${MASK}'`],
      ['apiKey: abc # mine', `apiKey: ${MASK} # mine`],
      ['{apiKey: abc, b: 1}', `{apiKey: ${MASK}, b: 1}`],
      ['"OPENAI_API_KEY" : "abc"', `"OPENAI_API_KEY" : "${MASK}"`],
      ['"Authorization": "Basic abc"', `"Authorization": "${MASK}"`],
      ['"X": "Bearer abcdefgh.ijk"', `"X": "Bearer ${MASK}"`],
      ['args: [--key, sk-proj-123456789]', `args: [--key, ${MASK}]`],
    ] as const) {
      assert.equal(maskSecrets(text, KEY), wanted);
    }
  });

  it('leaves what is no secret', () => {
    for (const text of [
      '"envKey": "PROXY_KEY"',
      'maxTokens: 4096',
      '"tokenSource": "manual"',
      '"apiKey": ""',
      'key:\n',
    ]) {
      assert.equal(maskSecrets(text, KEY), text);
    }
  });

  it('covers a value whose name says so', () => {
    assert.equal(maskValue('apiKey', 'abc'), MASK);
    assert.equal(maskValue('SEALED_PROXY_KEY', undefined), MASK);
    assert.equal(maskValue('model', 'abc'), '"abc"');
    assert.equal(maskValue(0, { x: KEY }), `{"x":"${MASK}"}`);
  });
});
