import assert from 'node:assert/strict';
import { VARIABLES, readEnvironment } from '../../../src/settings/environment.ts';
import type { Values } from '../../../src/settings/environment.ts';
import { ConfigError } from '../../../src/settings/proxyConfig.ts';
import { PCR0, RULES, SECRET_RULES } from '../../support/configRules.ts';

function refusal(values: Values): ConfigError {
  try {
    readEnvironment(values);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(values)} was accepted`);
}

describe('VARIABLES', () => {
  it('all have rules in these tests', () => {
    const secrets = SECRET_RULES.flatMap(({ variable }) => [variable, `${variable}_FILE`]); // both in readConfig()
    const names = [...RULES.map(({ variable }) => variable), ...secrets];
    assert.deepEqual(names.toSorted(), VARIABLES.map(({ variable }) => variable).toSorted());
  });

  it('keep the order and the defaults of released variables', () => {
    const RELEASED: readonly (readonly [string, string])[] = [
      ['PROXY_HOST', '127.0.0.1'],
      ['PROXY_PORT', '14114'],
      ['PROXY_BACKEND_URL', 'https://enclave.trymaple.ai'],
      ['PROXY_PCR0_ENVIRONMENT', 'production'],
      ['PROXY_ADDITIONAL_PCR0', ''],
      ['PROXY_REQUEST_TIMEOUT_SECS', '300'],
      ['PROXY_STREAM_IDLE_TIMEOUT_SECS', '300'],
      ['PROXY_ALLOWED_HOSTS', ''],
      ['PROXY_ALLOWED_ORIGINS', 'vscode-webview://*,vscode-file://*'],
      ['PROXY_LOG_LEVEL', 'info'],
      ['PROXY_API_KEY', ''],
      ['PROXY_ACCESS_KEYS', ''],
      ['PROXY_CACHE_NAMESPACE_ROOT', '(random)'],
    ];
    const found = VARIABLES.map(({ variable, byDefault }) => [variable, byDefault] as const);
    assert.deepEqual(
      found.filter(([name]) => RELEASED.some(([released]) => released === name)),
      RELEASED,
    );
  });
});

describe('readEnvironment()', () => {
  for (const { variable, read, byDefault, good, bad, allowed } of RULES) {
    describe(variable, () => {
      it('has its default when it is not set, empty or blank', () => {
        for (const values of [{}, { [variable]: '' }, { [variable]: '  ' }]) {
          assert.deepEqual(read(readEnvironment(values)), byDefault);
        }
      });

      for (const [text, meaning] of good) {
        it(`may be ${JSON.stringify(text).slice(0, 60)}`, () => {
          assert.deepEqual(read(readEnvironment({ [variable]: text })), meaning);
        });
      }

      for (const text of bad) {
        it(`cannot be ${JSON.stringify(text).slice(0, 60)}: the message shows the value, and what is allowed`, () => {
          const { message } = refusal({ [variable]: text });
          assert.ok(message.startsWith(`${variable}=`), message);
          assert.match(message, / cannot be used: /);
          assert.match(message, allowed);
          assert.doesNotMatch(message, /\n/);
          const shown = JSON.stringify(text.trim()).slice(1, -1).slice(0, 200);
          const [first = ''] = shown.split(',');
          assert.ok([shown, first].some((value) => message.includes(`=${value}`)) || text.startsWith('['), message);
        });
      }
    });
  }

  it('names the item of a list that cannot be used', () => {
    const values = { PROXY_ADDITIONAL_PCR0: `${PCR0},wrong,${PCR0}`, PROXY_ALLOWED_HOSTS: 'box,b:1' };
    assert.match(refusal(values).message, /^PROXY_ADDITIONAL_PCR0=wrong cannot/);
    assert.match(refusal({ PROXY_ALLOWED_HOSTS: 'box,b:1' }).message, /^PROXY_ALLOWED_HOSTS=b:1 cannot/);
  });

  it('says of any value in quotes to remove them, and shows the value as it was written', () => {
    for (const { variable, good } of RULES) {
      for (const quote of ['"', "'"]) {
        const { message } = refusal({ [variable]: `${quote}${(good[0]?.[0] ?? '').trim()}${quote}` });
        assert.match(message, / cannot be used: the value is in quotes; remove them$/);
        assert.doesNotMatch(message, /\\/);
      }
    }
    assert.match(
      refusal({ PROXY_ALLOWED_HOSTS: 'a,"b"' }).message,
      /^PROXY_ALLOWED_HOSTS="b" .*in quotes; remove them$/,
    );
    assert.match(refusal({ PROXY_PORT: String.raw`a\b` }).message, /^PROXY_PORT=a\\b cannot/);
  });

  it('says how to separate the items of a list, and that a PCR0 has no prefix', () => {
    for (const values of [
      { PROXY_ALLOWED_HOSTS: 'one two' },
      { PROXY_ALLOWED_HOSTS: 'one;two' },
      { PROXY_ALLOWED_ORIGINS: 'https://a.example https://b.example' },
      { PROXY_ADDITIONAL_PCR0: `${PCR0};${PCR0}` },
    ]) {
      assert.match(refusal(values).message, /; separate several with commas$/);
    }
    assert.doesNotMatch(refusal({ PROXY_ALLOWED_HOSTS: 'a:1' }).message, /commas/);
    assert.match(refusal({ PROXY_ADDITIONAL_PCR0: `0x${PCR0}` }).message, /96 hex digits, not all zero, without 0x \(/);
  });

  it('takes a comma for a list without items, not for the default', () => {
    assert.deepEqual(readEnvironment({ PROXY_ALLOWED_ORIGINS: ',' }).allowedOrigins, []);
  });

  it('shows a value in one line, and cuts a long one', () => {
    const { message } = refusal({ PROXY_PORT: '1\n2\r\u001b[31m' });
    assert.match(message, /^PROXY_PORT=1\\n2\\r\\u001b\[31m cannot/);
    assert.ok(refusal({ PROXY_PORT: '9'.repeat(5000) }).message.length < 400);
  });

  it('never shows a possible password or token in the URL of the backend', () => {
    for (const url of [
      'https://user:hidden@enclave.example',
      'https://hidden@enclave.example',
      'https://user:hidden?word@enclave.example',
      'https://user:hidden#word%40enclave.example',
      'user:hidden@enclave.example',
      'ftp://user:hidden@enclave.example',
      'http://user:hidden@enclave.example',
      'https://enclave.example/path@hidden',
      'https://enclave.example?hidden=1',
      'https://enclave.example/#hidden',
      'https://enclave.example?a\nhidden',
      'ftp://enclave.example?hidden',
      'enclave.example#hidden',
    ]) {
      const { message } = refusal({ PROXY_BACKEND_URL: url });
      assert.doesNotMatch(message, /hidden/, url);
      assert.match(message, /^PROXY_BACKEND_URL.* cannot be used: /);
    }
  });

  it('does not look at secrets', () => {
    assert.equal(readEnvironment({ PROXY_API_KEY: 'not read', PROXY_PORT: '1' }).port, 1);
  });
});
