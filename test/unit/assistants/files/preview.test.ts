import assert from 'node:assert/strict';
import { maskSecrets, maskValue } from '../../../../src/assistants/files/preview.ts';

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
      ['"apiKey":\n  "abc"', `"apiKey":\n  "${MASK}"`],
      ['"apiKeys": ["abc"]', `"apiKeys": ["${MASK}"]`],
      ["apiKey: 'it''s'", `apiKey: '${MASK}'`],
      ['apiKey: &mine abc', `apiKey: &mine ${MASK}`],
      ['apiKey: |\n  abc def\nb: 1', `apiKey: |\n  ${MASK}\nb: 1`],
      ['"args": ["--api-key", "abc"]', `"args": ["--api-key", "${MASK}"]`],
      ['"args": ["--token=abc"]', `"args": ["--token=${MASK}"]`],
      ['"https://me:abc@example.com/"', `"https://${MASK}@example.com/"`],
      ['"https://example.com/sse?api_key=abc&x=1"', `"https://example.com/sse?api_key=${MASK}&x=1"`],
      ['"GITHUB_PAT": "abc"', `"GITHUB_PAT": "${MASK}"`],
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
      'key:\n  model: "x"\n',
      'command: npx --max-tokens 5 --monkey',
      '"url": "https://example.com/a@b"',
    ]) {
      assert.equal(maskSecrets(text, KEY), text);
    }
  });

  it('comes to an end, however often a secret seems to begin', () => {
    for (const piece of [' ', 'key', 'key: ', '--key ', '://a', "''"]) {
      const text = `key:${piece.repeat(100_000)}`;
      assert.ok(maskSecrets(text, KEY).length > 0);
    }
  });

  it('covers a value whose name says so', () => {
    assert.equal(maskValue('apiKey', 'abc'), MASK);
    assert.equal(maskValue('SEALED_PROXY_KEY', undefined), MASK);
    assert.equal(maskValue('model', 'abc'), '"abc"');
    assert.equal(maskValue(0, { x: KEY }), `{"x":"${MASK}"}`);
  });
});
