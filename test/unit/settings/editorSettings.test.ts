import assert from 'node:assert/strict';
import { readEditorSettings } from '../../../src/settings/editorSettings.ts';
import { EXTENSION_DEFAULTS } from '../../../src/settings/schema.ts';

describe('readEditorSettings()', () => {
  const read = (own: Readonly<Record<string, unknown>>, http: Readonly<Record<string, unknown>> = {}) =>
    readEditorSettings((name) => {
      const [section, key] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
      return section === 'http' ? http[key] : section === 'sealedProxy' ? own[key] : undefined;
    }, 'debug');

  it('has the defaults where nothing is set', () => {
    const { proxy, network, ...own } = read({ port: undefined, autoStart: null });
    assert.deepEqual(own, EXTENSION_DEFAULTS);
    assert.deepEqual(proxy, {
      port: 14_114,
      backendUrl: 'https://enclave.trymaple.ai',
      pcr0Environment: 'production',
      additionalPcr0: [],
      requestTimeoutSeconds: 300,
      streamIdleTimeoutSeconds: 300,
      capacityWaitSeconds: 0,
      messagesModel: '',
      responsesModel: '',
      allowedOrigins: ['vscode-webview://*', 'vscode-file://*'],
      logLevel: 'debug',
    });
    assert.deepEqual(network, { asksEditor: true, strictTls: true, systemCertificates: true });
  });

  it('has the values as they are written, under their names in the editor', () => {
    const settings = read({ port: 'x', 'terminal.enabled': true, 'statusBar.compact': true, host: '0.0.0.0' });
    assert.equal(settings.proxy.port, 'x');
    assert.deepEqual([settings['terminal.enabled'], settings['statusBar.compact']], [true, true]);
    assert.equal('host' in settings.proxy, false);
  });

  it('has the network of the editor', () => {
    const http = {
      proxy: 'http://box:1',
      noProxy: ['a', 'b'],
      proxyAuthorization: 'Basic YTpi',
      proxyStrictSSL: false,
    };
    assert.deepEqual(read({}, http).network, {
      asksEditor: true,
      httpsProxy: 'http://box:1',
      noProxy: 'a,b',
      proxyAuthorization: 'Basic YTpi',
      strictTls: false,
      systemCertificates: true,
    });
    const off = read(
      {},
      {
        proxy: 'http://box:1',
        proxySupport: 'off',
        noProxy: [],
        proxyAuthorization: null,
        systemCertificates: false,
      },
    );
    assert.deepEqual(off.network, { asksEditor: true, httpsProxy: '', strictTls: true, systemCertificates: false });
  });
});
