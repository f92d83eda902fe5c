import assert from 'node:assert/strict';
import { ConfigError, resolveConfig, resolveLiveConfig } from '../../../src/settings/proxyConfig.ts';
import { PCR0 } from '../../support/configRules.ts';

describe('resolveConfig()', () => {
  it('has the default of each setting that is left out or empty', () => {
    const defaults = resolveConfig({});
    const empty = resolveConfig({ host: ' ', backendUrl: '', pcr0Environment: '', logLevel: '' });
    assert.equal(JSON.stringify(empty), JSON.stringify(defaults));
    assert.deepEqual([defaults.host, defaults.port, defaults.logLevel], ['127.0.0.1', 14_114, 'info']);
    assert.deepEqual(defaults.policy, { environment: 'production', additional: [] });
    assert.deepEqual([defaults.requestTimeout, defaults.streamIdleTimeout], [300_000, 300_000]);
    assert.equal(defaults.allowedOrigins.length, 2);
  });

  it('takes an empty list for no items, not for the default', () => {
    const { allowedOrigins, policy, allowedHosts } = resolveConfig({
      allowedOrigins: [],
      additionalPcr0: [''],
      allowedHosts: [],
    });
    assert.deepEqual([allowedOrigins, policy.additional, allowedHosts], [[], [], []]);
  });

  it('splits an item of a list at its commas', () => {
    const other = '01'.repeat(48);
    assert.deepEqual(resolveConfig({ additionalPcr0: [`${PCR0} ,${other}`] }).policy.additional, [PCR0, other]);
  });
});

describe('resolveLiveConfig()', () => {
  it('looks at the live settings alone', () => {
    const live = resolveLiveConfig({ logLevel: 'debug', requestTimeoutSeconds: 0.5, host: 'not read' });
    assert.deepEqual([live.logLevel, live.requestTimeout], ['debug', 500]);
    assert.deepEqual(Object.keys(live).toSorted(), [
      'allowedHosts',
      'allowedOrigins',
      'capacityWait',
      'logLevel',
      'messagesModel',
      'requestTimeout',
      'responsesModel',
      'streamIdleTimeout',
    ]);
  });
});

describe('ConfigError', () => {
  it('names the variable of the command line, or the setting of the editor', () => {
    const error = new ConfigError('requestTimeoutSeconds', 'it must be a number of seconds', '0');
    assert.equal(error.message, 'PROXY_REQUEST_TIMEOUT_SECS=0 cannot be used: it must be a number of seconds');
    assert.equal(
      error.editorMessage,
      'sealedProxy.requestTimeoutSeconds=0 cannot be used: it must be a number of seconds',
    );
    assert.equal(new ConfigError('httpsProxy', 'x').message, 'HTTPS_PROXY cannot be used: x');
    assert.equal(new ConfigError('httpsProxy', 'x').editorMessage, 'http.proxy cannot be used: x');
    assert.equal(new ConfigError('apiKey', 'x').editorMessage, 'apiKey cannot be used: x');
  });
});
