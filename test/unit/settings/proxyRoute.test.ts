import assert from 'node:assert/strict';
import { configuredRoute, isException } from '../../../src/settings/proxyRoute.ts';

const URL_OF_BACKEND = 'https://enclave.example/';

describe('configuredRoute()', () => {
  it('says which proxy leads to a URL, and why', () => {
    const environment = { HTTPS_PROXY: 'http://env:1', NO_PROXY: 'other.example' };
    for (const [network, variables, route] of [
      [{}, {}, { url: '', source: 'none' }],
      [{}, environment, { url: 'http://env:1', source: 'environment' }],
      [{}, { ...environment, NO_PROXY: 'example' }, { url: '', source: 'exception' }],
      [{}, { ...environment, no_proxy: 'example' }, { url: '', source: 'exception' }],
      [{ httpsProxy: 'http://set:1' }, environment, { url: 'http://set:1', source: 'setting' }],
      [{ httpsProxy: 'http://set:1', noProxy: '.example' }, environment, { url: '', source: 'exception' }],
      [{ noProxy: 'x' }, { ...environment, NO_PROXY: '*' }, { url: 'http://env:1', source: 'environment' }],
      [{ httpsProxy: '' }, environment, { url: '', source: 'off' }],
    ] as const) {
      assert.deepEqual(configuredRoute(URL_OF_BACKEND, network, variables), route);
    }
  });

  it('refuses a proxy that is not a URL', () => {
    assert.throws(() => configuredRoute(URL_OF_BACKEND, { httpsProxy: 'proxy' }, {}), { name: 'ConfigError' });
  });
});

describe('isException()', () => {
  for (const [list, url, expected] of [
    ['', URL_OF_BACKEND, false],
    ['*', URL_OF_BACKEND, true],
    ['a.example, *', URL_OF_BACKEND, true],
    ['*:443', URL_OF_BACKEND, true],
    ['*:8443', URL_OF_BACKEND, false],
    ['enclave.example', URL_OF_BACKEND, true],
    ['ENCLAVE.Example.', URL_OF_BACKEND, true],
    ['enclave.example', 'https://enclave.example./', true],
    ['example', URL_OF_BACKEND, true],
    ['.example', URL_OF_BACKEND, true],
    ['.enclave.example', URL_OF_BACKEND, true],
    ['*.example', URL_OF_BACKEND, true],
    ['*.enclave.example', URL_OF_BACKEND, false],
    ['clave.example', URL_OF_BACKEND, false],
    ['enclave.example.org', URL_OF_BACKEND, false],
    ['x\tenclave.example:443 y', URL_OF_BACKEND, true],
    ['enclave.example:80', URL_OF_BACKEND, false],
    ['enclave.example:8443', 'https://enclave.example:8443/v1', true],
    ['example:80', 'http://enclave.example/', true],
    ['10.0.0.1', 'https://10.0.0.1/', true],
    ['10.0.0.1', 'https://110.0.0.1/', false],
    ['::1', 'https://[::1]/', true],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443/', true],
    ['[fd00::1]:8443', 'https://[fd00::1]/', false],
  ] as const) {
    it(`is ${expected} for "${list}" and ${url}`, () => {
      assert.equal(isException(list, url), expected);
    });
  }
});
