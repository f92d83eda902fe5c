import assert from 'node:assert/strict';
import {
  EDITOR_SETTING_NAMES,
  EXTENSION_DEFAULTS,
  EXTENSION_SETTING_NAMES,
  SCHEMA,
  SETTING_NAMES,
  findTypeMismatch,
  isLiveSetting,
  isProxySettings,
} from '../../../src/settings/schema.ts';

describe('SCHEMA', () => {
  it('has a default of the right type for every setting', () => {
    for (const name of SETTING_NAMES) {
      assert.equal(findTypeMismatch(name, SCHEMA[name].default), undefined, name);
    }
  });

  it('has descriptions that are sentences, in one line', () => {
    for (const name of SETTING_NAMES) assert.match(SCHEMA[name].description, /^[A-Z][^\n|]*\.$/, name);
  });

  it('has each variable once', () => {
    const names = SETTING_NAMES.map((name) => SCHEMA[name].variable).filter((name) => name !== undefined);
    assert.equal(new Set(names).size, names.length);
  });
});

describe('EDITOR_SETTING_NAMES', () => {
  it('are all but the secrets and the settings that only the command line has', () => {
    const others = [
      'host',
      'tlsCertificateFile',
      'tlsKeyFile',
      'accessKeysOnly',
      'checkApiKey',
      'drainDelaySeconds',
      'drainSeconds',
      'metricsPort',
      'allowedHosts',
      'logLevel',
      'apiKey',
      'accessKeys',
      'cacheNamespaceRoot',
    ];
    assert.deepEqual([...EDITOR_SETTING_NAMES, ...others].sort(), SETTING_NAMES.toSorted());
    assert.deepEqual(Object.keys(EXTENSION_DEFAULTS), EXTENSION_SETTING_NAMES);
  });
});

describe('isLiveSetting()', () => {
  it('is true for the settings that need no restart of the proxy', () => {
    const live = [
      'requestTimeoutSeconds',
      'streamIdleTimeoutSeconds',
      'capacityWaitSeconds',
      'messagesModel',
      'responsesModel',
      'allowedHosts',
      'allowedOrigins',
      'logLevel',
    ];
    assert.deepEqual(SETTING_NAMES.filter(isLiveSetting), live);
    for (const name of ['', 'toString', '__proto__', 'httpsProxy']) assert.equal(isLiveSetting(name), false);
  });
});

describe('isProxySettings()', () => {
  it('accepts settings of the right types, and settings that are left out', () => {
    for (const settings of [{}, { port: 1 }, { port: undefined }, { port: -1, backendUrl: 'x', allowedHosts: [] }]) {
      assert.equal(isProxySettings(settings), true);
    }
  });

  it('refuses other types, other names, and anything but an object', () => {
    const others: unknown[] = [null, [], 'x', { port: '1' }, { port: null }, { autoStart: true }, { apiKey: 'x' }];
    others.push({ toString: 'x' }, JSON.parse('{"__proto__":"x"}'));
    for (const other of others) assert.equal(isProxySettings(other), false, JSON.stringify(other));
  });
});
