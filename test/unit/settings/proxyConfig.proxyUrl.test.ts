import assert from 'node:assert/strict';
import { ConfigError, readProxyUrl } from '../../../src/settings/proxyConfig.ts';

describe('readProxyUrl()', () => {
  it('prefers the settings to the environment', () => {
    const environment = { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' };
    assert.equal(readProxyUrl({ httpsProxy: 'http://set:1' }, environment), 'http://set:1');
    assert.equal(readProxyUrl({ httpsProxy: '' }, environment), '');
    assert.equal(readProxyUrl({}, environment), 'http://lower:1');
    assert.equal(readProxyUrl({}, { HTTPS_PROXY: 'http://upper:1' }), 'http://upper:1');
    assert.equal(readProxyUrl({}, {}), '');
  });

  for (const url of [
    'http://proxy:3128',
    'https://proxy',
    'socks5://proxy:1080',
    'socks://proxy',
    'http://u:p@proxy',
    'http://proxy:3128/',
  ]) {
    it(`accepts ${url}`, () => {
      assert.equal(readProxyUrl({ httpsProxy: url }, {}), url);
    });
  }

  for (const url of [
    'proxy:3128',
    'proxy',
    'ftp://proxy',
    '//proxy',
    'http://',
    'DIRECT',
    'http://proxy:3128/pac',
    'http://proxy/?a',
  ]) {
    it(`refuses ${url}, and explains what is valid`, () => {
      assert.throws(
        () => readProxyUrl({ httpsProxy: url }, {}),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.setting, 'httpsProxy');
          assert.ok(error.message.startsWith(`HTTPS_PROXY=${url} cannot be used: it must be the URL of a proxy`));
          return true;
        },
      );
    });
  }

  it('explains that SOCKS4 is not supported', () => {
    for (const url of ['socks4://proxy:1080', 'SOCKS4A://proxy']) {
      assert.throws(
        () => readProxyUrl({ httpsProxy: url }, {}),
        /cannot be used: SOCKS4 is not supported; use a SOCKS5/,
      );
    }
  });

  it('says of an address in quotes to remove them', () => {
    assert.throws(() => readProxyUrl({}, { HTTPS_PROXY: '"http://proxy:3128"' }), {
      message: 'HTTPS_PROXY="http://proxy:3128" cannot be used: the value is in quotes; remove them',
    });
  });

  it('never shows an address that may contain a password', () => {
    assert.throws(() => readProxyUrl({ httpsProxy: 'ftp://user:hidden@proxy' }, {}), {
      message: /^HTTPS_PROXY cannot/,
    });
  });

  it('refuses a name or a password that cannot be decoded', () => {
    for (const name of ['user:100%', 'user:%zz', 'user:%FF', 'us%er:word', '%E0%A4%A']) {
      assert.throws(() => readProxyUrl({ httpsProxy: `http://${name}@proxy:3128` }, {}), {
        name: 'ConfigError',
        message: /^HTTPS_PROXY cannot be used: it must be the URL of a proxy/,
      });
    }
    const encoded = 'http://us%25er:p%C3%A4ss%40word@proxy:3128';
    assert.equal(readProxyUrl({ httpsProxy: encoded }, {}), encoded);
  });
});
