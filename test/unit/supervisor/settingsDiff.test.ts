import assert from 'node:assert/strict';
import { diffSettings } from '../../../src/supervisor/settingsDiff.ts';
import type { LaunchConfig } from '../../../src/supervisor/settingsDiff.ts';

const LIVE = {
  requestTimeoutSeconds: 300,
  streamIdleTimeoutSeconds: 60,
  capacityWaitSeconds: 0,
  messagesModel: '',
  responsesModel: '',
  allowedOrigins: ['https://app.example'],
  logLevel: 'info',
};
const BEFORE: LaunchConfig = {
  settings: {
    port: 14_114,
    backendUrl: 'https://enclave.example',
    pcr0Environment: 'production',
    additionalPcr0: [],
    ...LIVE,
  },
  network: { strictTls: true, certificates: ['PEM'] },
};

const change = (settings: Partial<LaunchConfig['settings']>, network: LaunchConfig['network'] = BEFORE.network) => ({
  settings: { ...BEFORE.settings, ...settings },
  network,
});

describe('diffSettings()', () => {
  it('compares by value', () => {
    assert.deepEqual(diffSettings(BEFORE, structuredClone(BEFORE)), { kind: 'unchanged' });
  });

  for (const settings of [
    { requestTimeoutSeconds: 10 },
    { streamIdleTimeoutSeconds: 10 },
    { allowedOrigins: [] },
    { logLevel: 'debug', allowedOrigins: ['https://other.example'] },
  ]) {
    it(`applies ${Object.keys(settings).join(' and ')} to the running proxy, with all live settings`, () => {
      assert.deepEqual(diffSettings(BEFORE, change(settings)), { kind: 'live', settings: { ...LIVE, ...settings } });
    });
  }

  for (const settings of [
    { port: 0 },
    { backendUrl: 'https://other.example' },
    { pcr0Environment: 'development' },
    { additionalPcr0: ['ab'.repeat(48)] },
    { port: 0, logLevel: 'debug' },
  ]) {
    it(`needs another process for ${Object.keys(settings).join(' and ')}`, () => {
      assert.deepEqual(diffSettings(BEFORE, change(settings)), { kind: 'restart' });
    });
  }

  it('needs another process for the network, even if nothing else changes', () => {
    for (const network of [{}, { ...BEFORE.network, strictTls: false }, { ...BEFORE.network, certificates: [] }]) {
      assert.deepEqual(diffSettings(BEFORE, change({}, network)), { kind: 'restart' });
      assert.deepEqual(diffSettings(BEFORE, change({ logLevel: 'debug' }, network)), { kind: 'restart' });
    }
  });

  it('applies other rules for enclave images to the running proxy', () => {
    const images = { confirm: true, acceptsFirst: false, last: null, accepted: [], refused: [] };
    const live = { kind: 'live', settings: LIVE };
    assert.deepEqual(diffSettings(BEFORE, { ...BEFORE, images }), live);
    assert.deepEqual(diffSettings({ ...BEFORE, images }, { ...BEFORE, images: { ...images, accepted: ['ab'] } }), live);
    assert.deepEqual(diffSettings({ ...BEFORE, images }, structuredClone({ ...BEFORE, images })), {
      kind: 'unchanged',
    });
  });
});
