import assert from 'node:assert/strict';
import { readConfig } from '../../../../src/proxy/hosts/config.ts';
import { ConfigError } from '../../../../src/settings/proxyConfig.ts';
import { KEY, SECRET_RULES } from '../../../support/configRules.ts';

function refusal(values: Readonly<Record<string, string>>): ConfigError {
  try {
    readConfig(values);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(values)} was accepted`);
}

describe('readConfig()', () => {
  for (const { variable, read, byDefault, good, bad, allowed, beside } of SECRET_RULES) {
    describe(variable, () => {
      if (byDefault !== undefined) {
        it('has its default when it is not set, empty or blank', () => {
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
        it(`cannot be ${JSON.stringify(text).slice(0, 60)}: the message shows what is allowed, not the value`, () => {
          const { message } = refusal({ ...beside, [variable]: text });
          assert.ok(message.startsWith(`${variable} cannot be used: `), message);
          assert.match(message, allowed);
          for (const secret of [...text.split(/[,;]/), ...Object.values(beside)]) {
            if (secret !== 'sealed-') assert.ok(!message.includes(secret), message);
          }
        });
      }
    });
  }

  it('reads the settings too', () => {
    assert.equal(readConfig({ PROXY_PORT: '1' }).port, 1);
    assert.equal(refusal({ PROXY_PORT: 'x' }).setting, 'port');
  });

  it('refuses to accept only access keys when there are none', () => {
    const { setting, message } = refusal({ PROXY_ACCESS_KEYS_ONLY: 'true' });
    assert.equal(setting, 'accessKeysOnly');
    assert.match(message, /no client could use the proxy: set PROXY_API_KEY and PROXY_ACCESS_KEYS$/);
  });

  it('needs the API key and the access keys together', () => {
    const message = /set PROXY_API_KEY and PROXY_ACCESS_KEYS together, or neither/;
    const lonely = refusal({ PROXY_API_KEY: 'sk-secret' });
    assert.equal(lonely.setting, 'accessKeys');
    assert.match(lonely.message, message);
    assert.doesNotMatch(lonely.message, /sk-secret/);
    const other = refusal({ PROXY_ACCESS_KEYS: KEY });
    assert.equal(other.setting, 'apiKey');
    assert.match(other.message, message);
    assert.ok(!other.message.includes(KEY));
  });

  it('refuses an API key that contains an access key in any form, which the backend must not see', () => {
    const secret = KEY.slice('sealed-'.length);
    for (const text of [
      KEY,
      `alice=${KEY}`,
      `sk-1 ${KEY}`,
      `# clients\nalice=${KEY}\nbob=sk-1`,
      `"${KEY}"`,
      KEY.replace('-', '_').toUpperCase(),
      KEY.replace('-', '%2D'),
      KEY.slice(0, 30),
      secret,
    ]) {
      const { message } = refusal({ PROXY_API_KEY: text, PROXY_ACCESS_KEYS: KEY });
      const reason = 'this contains an access key of the proxy; set the API key of the backend';
      assert.equal(message, `PROXY_API_KEY cannot be used: ${reason}`, text);
    }
    const other = `sk-1-unsealed-${'a'.repeat(10)}`;
    assert.equal(readConfig({ PROXY_API_KEY: other, PROXY_ACCESS_KEYS: KEY }).apiKey, other);
  });

  it('says what to remove from a secret that is written with the name of its variable, or with more than the key', () => {
    for (const { variable, good, beside } of SECRET_RULES) {
      const { message } = refusal({ ...beside, [variable]: `${variable}=${good[0]?.[0] ?? ''}` });
      assert.equal(message, `${variable} cannot be used: the value begins with ${variable}=; remove that part`);
    }
    for (const text of ['Bearer sk-1', 'sk-1\nsk-2', 'sk-1 # of the team']) {
      const { message } = refusal({ PROXY_API_KEY: text, PROXY_ACCESS_KEYS: KEY });
      assert.match(message, /; set the key alone, without Bearer, comments or a second key$/);
    }
  });

  it('says of any secret in quotes to remove them', () => {
    for (const { variable, good, beside } of SECRET_RULES) {
      const { message } = refusal({ ...beside, [variable]: `"${(good[0]?.[0] ?? '').trim()}"` });
      assert.match(message, / is in quotes; remove them/);
    }
  });

  it('generates a new cache root of 32 bytes each time when none is set', () => {
    const roots = [1, 2].map(() => readConfig({}).cacheNamespaceRoot);
    assert.equal(roots[0]?.length, 32);
    assert.notDeepEqual(roots[0], roots[1]);
  });
});
