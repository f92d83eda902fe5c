import assert from 'node:assert/strict';
import { redact, redactConfig, redactValue } from '../../../src/presentation/redaction.ts';

const KEY = `sealed-${'k'.repeat(43)}`;
const MASK = '••••••••';
const MASKED_KEY = `${MASK}kkkk`;

describe('redact()', () => {
  it('hides the given secrets, the longest first', () => {
    assert.equal(redact('a dev-secret, dev-sec', ['dev-sec', 'dev-secret']), `a ${MASK}, ${MASK}`);
  });

  it('does not search for a given secret that is short enough to be part of ordinary words', () => {
    assert.equal(redact('a short key', ['short']), 'a short key');
  });

  it('hides what has the form of a secret, without knowing it', () => {
    for (const [text, wanted] of [
      [KEY, MASK],
      ['sealed-0123456789abcdef', MASK],
      ['sk-abcdefgh', MASK],
      ['Authorization: Bearer abc.def', `Authorization: Bearer ${MASK}`],
      ['authorization: basic YTpi', `authorization: basic ${MASK}`],
      ["https://me:it's@host/", `https://${MASK}@host/`],
      ['?token=abc', `?token=${MASK}`],
    ] as const) {
      assert.equal(redact(text), wanted);
    }
  });
});

describe('mask() of an access key', () => {
  const [one, other] = [`sealed-${'x'.repeat(39)}k3Fz`, `sealed-${'x'.repeat(39)}Qw-_`];

  it('tells two keys apart, and is the same for the same key wherever it stands', () => {
    for (const show of [
      (key: string) => redactConfig(`key=${key}`, ''),
      (key: string) => redactConfig(`Bearer ${key}`, key),
      (key: string) => redactConfig(`{"apiKey": "${key}"}`, one),
      (key: string) => redactConfig(`apiKey: ${key} # mine`, ''),
      (key: string) => redactConfig(`api_key = '${key}'`, ''),
      (key: string) => redactValue('apiKey', key),
    ]) {
      assert.ok(show(one).includes(`${MASK}k3Fz`), show(one));
      assert.ok(show(other).includes(`${MASK}Qw-_`), show(other));
      assert.equal(show(one), show(one));
    }
  });

  it('has nothing but the last four characters', () => {
    assert.equal(redactConfig(one, ''), `${MASK}k3Fz`);
    assert.equal(redactConfig(redactConfig(`apiKey: ${one}`, one), one), `apiKey: ${MASK}k3Fz`);
  });

  it('shows nothing of a secret that is not an access key, whatever it is like', () => {
    for (const secret of [
      'sk-proj-0123456789abcdefghijklmnopqrstuvwxyz',
      one.slice(0, -1),
      `${one}x`,
      `${MASK}12345`,
    ]) {
      assert.equal(redactConfig(`"apiKey": "${secret}"`, ''), `"apiKey": "${MASK}"`);
      assert.equal(redactValue('apiKey', secret), MASK);
    }
  });
});

describe('redactConfig()', () => {
  it('hides every key, own and foreign', () => {
    for (const [text, wanted] of [
      [`x ${KEY} y ${KEY}`, `x ${MASKED_KEY} y ${MASKED_KEY}`],
      [`sealed-${'-_aZ0'.repeat(8)}abc`, `${MASK}0abc`],
      ['"apiKey": "abc \\" def",', `"apiKey": "${MASK}",`],
      ["'api_key': 'abc'", `'api_key': '${MASK}'`],
      ['apiKey: abc # mine', `apiKey: ${MASK} # mine`],
      ['{apiKey: abc, b: 1}', `{apiKey: ${MASK}, b: 1}`],
      ['experimental_bearer_token = "abc" # mine', `experimental_bearer_token = "${MASK}" # mine`],
      ["http_headers = { X-Api-Key='abc' }", `http_headers = { X-Api-Key='${MASK}' }`],
      ['secret = """\nabc\n"""\nname = "x"', `secret = "${MASK}"\nname = "x"`],
      ['env_key = "VARIABLE"', 'env_key = "VARIABLE"'],
      ['"MAX_CONTEXT_TOKENS": "128000"', '"MAX_CONTEXT_TOKENS": "128000"'],
      ['"TOKENS": "abc"', `"TOKENS": "${MASK}"`],
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
      assert.equal(redactConfig(text, KEY), wanted);
    }
  });

  it('leaves what is not a secret', () => {
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
      assert.equal(redactConfig(text, KEY), text);
    }
  });

  it('ends, however often a secret seems to begin', () => {
    for (const part of [' ', 'key', 'key: ', '--key ', '://a', "''", 'bearer ', 'basic\n']) {
      const text = `key:${part.repeat(100_000)}`;
      assert.ok(redactConfig(text, KEY).length > 0);
    }
  });
});

describe('redactValue()', () => {
  it('hides a value whose name says that it is secret', () => {
    assert.equal(redactValue('apiKey', 'abc'), MASK);
    assert.equal(redactValue('SEALED_PROXY_KEY', undefined), MASK);
    assert.equal(redactValue('model', 'abc'), '"abc"');
    assert.equal(redactValue(0, { x: KEY }), `{"x":"${MASKED_KEY}"}`);
  });
});
