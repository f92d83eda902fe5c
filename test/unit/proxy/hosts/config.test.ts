import assert from 'node:assert/strict';
import { ConfigError, VARIABLES, readLiveSettings, readSettings } from '../../../../src/settings/settings.ts';
import { readConfig } from '../../../../src/proxy/hosts/config.ts';
import type { Variable } from '../../../../src/settings/settings.ts';
import { KEY, PCR0, RULES, SECRET_RULES } from '../../../support/configRules.ts';

function refusal(values: Partial<Record<Variable, string>>): ConfigError {
  try {
    readConfig(values);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(values)} was taken`);
}

describe('The settings', () => {
  it('all have their rules here', () => {
    const names = [...RULES, ...SECRET_RULES].map(({ variable }) => variable);
    assert.deepEqual(names.toSorted(), VARIABLES.map(([name]) => name).toSorted());
  });

  for (const { variable, read, byDefault, good, bad, allowed, beside } of [
    ...RULES.map((rule) => ({ ...rule, beside: {} })),
    ...SECRET_RULES,
  ]) {
    describe(variable, () => {
      if (byDefault !== undefined) {
        it('has its default when it is not set, or empty', () => {
          for (const values of [{}, { [variable]: '' }, { [variable]: '  ' }]) {
            assert.deepEqual(read(readConfig(values)), byDefault);
          }
        });
      }

      for (const [text, meaning] of good) {
        it(`may be ${JSON.stringify(text).slice(0, 60)}`, () => {
          assert.deepEqual(read(readConfig({ ...beside, [variable]: text })), meaning);
        });
      }

      for (const text of bad) {
        it(`cannot be ${JSON.stringify(text).slice(0, 60)}, and the message says what it can be`, () => {
          const error = refusal({ ...beside, [variable]: text });
          assert.equal(error.variable, variable);
          assert.ok(error.message.startsWith(variable));
          assert.match(error.message, / cannot be used: /);
          assert.match(error.message, allowed);
          assert.doesNotMatch(error.message, /\n/);
        });
      }
    });
  }

  for (const { variable, bad } of RULES) {
    it(`name the value of ${variable} that cannot be used`, () => {
      for (const text of bad) {
        const { message } = refusal({ [variable]: text });
        const shown = JSON.stringify(text.trim()).slice(1, -1).slice(0, 200);
        const [first = ''] = shown.split(',');
        assert.ok(message.startsWith(`${variable}=`), message);
        assert.ok([shown, first].some((value) => message.includes(`=${value}`)) || text.startsWith('['), message);
      }
    });
  }

  for (const { variable, bad, beside } of SECRET_RULES) {
    it(`never name the value of ${variable}`, () => {
      for (const text of bad) {
        const { message } = refusal({ ...beside, [variable]: text });
        assert.ok(message.startsWith(`${variable} cannot be used`), message);
        for (const secret of [...text.split(/[,;]/), ...Object.values(beside)]) {
          if (secret !== 'sealed-') assert.ok(!message.includes(secret), message);
        }
      }
    });
  }

  it('that come one behind the other name the one that is wrong', () => {
    const values = { PROXY_ADDITIONAL_PCR0: `${PCR0},wrong,${PCR0}`, PROXY_ALLOWED_HOSTS: 'box,b:1' };
    assert.match(refusal(values).message, /^PROXY_ADDITIONAL_PCR0=wrong cannot/);
    assert.match(refusal({ PROXY_ALLOWED_HOSTS: 'box,b:1' }).message, /^PROXY_ALLOWED_HOSTS=b:1 cannot/);
  });

  it('are shown in one line and cut, whatever was typed', () => {
    const { message } = refusal({ PROXY_PORT: '1\n2\r\u001b[31m' });
    assert.match(message, /^PROXY_PORT=1\\n2\\r\\u001b\[31m cannot/);
    assert.ok(refusal({ PROXY_PORT: '9'.repeat(5000) }).message.length < 400);
  });

  it('never show what may be a password or a token in the URL of the backend', () => {
    for (const url of [
      'https://user:hidden@enclave.example',
      'https://hidden@enclave.example',
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

  it('need the API key and the access keys together', () => {
    const message = /set PROXY_API_KEY and PROXY_ACCESS_KEYS together, or neither/;
    const lonely = refusal({ PROXY_API_KEY: 'sk-secret' });
    assert.equal(lonely.variable, 'PROXY_ACCESS_KEYS');
    assert.match(lonely.message, message);
    assert.doesNotMatch(lonely.message, /sk-secret/);
    const other = refusal({ PROXY_ACCESS_KEYS: KEY });
    assert.equal(other.variable, 'PROXY_API_KEY');
    assert.match(other.message, message);
    assert.ok(!other.message.includes(KEY));
  });

  it('have a fresh cache root of 32 bytes each time when none is set', () => {
    const roots = [1, 2].map(() => readConfig({}).cacheNamespaceRoot);
    assert.equal(roots[0]?.length, 32);
    assert.notDeepEqual(roots[0], roots[1]);
  });

  it('can be read without secrets, and those that may change alone', () => {
    const values = { PROXY_API_KEY: 'not read', PROXY_PORT: '1', PROXY_LOG_LEVEL: 'debug' };
    assert.equal(readSettings(values).port, 1);
    const live = readLiveSettings({ ...values, PROXY_PORT: 'not read' });
    assert.equal(live.logLevel, 'debug');
    assert.deepEqual(Object.keys(live).toSorted(), [
      'allowedHosts',
      'allowedOrigins',
      'logLevel',
      'requestTimeout',
      'streamIdleTimeout',
    ]);
  });
});
