import assert from 'node:assert/strict';
import { isProxySettings } from '../../../src/settings/schema.ts';
import { parseFromProxy, parseToProxy as parseMessage } from '../../../src/shared/messages.ts';
import type { FromProxy, ToProxy } from '../../../src/shared/messages.ts';
import { usageSum } from '../../support/requestRecords.ts';

const SETTINGS = {
  host: '127.0.0.1',
  port: 0,
  backendUrl: 'https://enclave.example',
  pcr0Environment: 'production',
  additionalPcr0: ['00'],
  requestTimeoutSeconds: 300,
  streamIdleTimeoutSeconds: 300,
  allowedHosts: ['box'],
  allowedOrigins: ['https://app.example'],
  logLevel: 'info',
};
const NETWORK = {
  httpsProxy: 'http://proxy:3128',
  noProxy: 'localhost',
  proxyAuthorization: 'Basic YTpi',
  asksEditor: true,
  strictTls: true,
  certificates: ['PEM'],
  systemCertificates: true,
};
const SECRETS = { apiKey: 'sk-1', accessKeys: ['sealed-1'] };
const START = { type: 'start', settings: SETTINGS, secrets: SECRETS, cacheNamespaceRoot: 'AAAA', network: NETWORK };
const VERIFIED = {
  kind: 'verified',
  environment: 'production',
  pcr0: 'ab',
  approvedBy: 'pinned',
  moduleId: 'i-1',
  timestamp: 1,
  certificateNotBefore: 2,
  certificateNotAfter: 3,
  document: 'AAAA',
};
const SUM = usageSum();

const parseToProxy = (value: unknown) => parseMessage(value, isProxySettings);

/** Values of types that no field has. */
const WRONG = [undefined, null, true, {}, Symbol('x')];
const NO_MESSAGES = [
  undefined,
  null,
  'start',
  7,
  true,
  [],
  [START],
  {},
  { type: 'else' },
  { type: 7 },
  { type: ['stop'] },
];

/** For each field of a message, further values that it must not have. */
type Shape = Record<string, readonly unknown[]>;

function refusesEachField(parse: (value: unknown) => unknown, message: object, shape: Shape): void {
  for (const [field, further] of Object.entries(shape)) {
    for (const value of [...WRONG, ...further]) {
      assert.equal(parse({ ...message, [field]: value }), undefined, `${field}: ${String(value)}`);
    }
    const without = Object.fromEntries(Object.entries(message).filter(([name]) => name !== field));
    assert.equal(parse(without), undefined, `without ${field}`);
  }
}

const IMAGES = { confirm: true, acceptsFirst: false, last: null, accepted: ['ab'], refused: ['cd'] };

describe('parseToProxy()', () => {
  for (const message of [
    START,
    { ...START, settings: {}, network: {} },
    { ...START, trustFingerprint: 'x' },
    { ...START, secrets: { apiKey: null, accessKeys: [] } },
    { ...START, settings: { host: undefined } },
    { type: 'secrets', secrets: SECRETS },
    { type: 'secrets', secrets: { ...SECRETS, ownership: 'AAAA' } },
    { type: 'update', settings: { logLevel: 'debug' } },
    { type: 'update', settings: {}, images: IMAGES },
    { ...START, images: { ...IMAGES, last: 'ab' } },
    { type: 'proxyFound', url: 'https://enclave.example/', route: { url: '', source: 'system' } },
    { type: 'stop' },
  ] satisfies (ToProxy | object)[]) {
    it(`accepts ${JSON.stringify(message).slice(0, 60)}`, () => {
      assert.deepEqual(parseToProxy(structuredClone(message)), message);
    });
  }

  it('refuses values that are not an object of a known type', () => {
    for (const value of NO_MESSAGES) assert.equal(parseToProxy(value), undefined, JSON.stringify(value));
    assert.equal(parseToProxy({ type: 'ready', url: 'u', port: 1, version: 'v' }), undefined);
  });

  it('requires settings, secrets, a cache root and network settings to start', () => {
    refusesEachField(parseToProxy, START, { cacheNamespaceRoot: [7, ['AAAA']] });
    for (const field of ['settings', 'secrets', 'network']) {
      for (const value of [undefined, null, 'x', 7, [], [{}]]) {
        assert.equal(parseToProxy({ ...START, [field]: value }), undefined, `${field}: ${JSON.stringify(value)}`);
      }
    }
  });

  for (const [name, value] of Object.entries(SETTINGS)) {
    it(`refuses a wrong type of the setting ${name}, in a start and in an update`, () => {
      const wrong = [
        null,
        {},
        true,
        ...(typeof value === 'number' ? ['1'] : [7]),
        ...(Array.isArray(value) ? ['x', [7], [null]] : [['x']]),
      ];
      for (const other of wrong) {
        const settings = { ...SETTINGS, [name]: other };
        assert.equal(parseToProxy({ ...START, settings }), undefined, JSON.stringify(other));
        assert.equal(parseToProxy({ type: 'update', settings }), undefined, JSON.stringify(other));
      }
    });
  }

  for (const [name, value] of Object.entries(NETWORK)) {
    it(`refuses a wrong type of the network setting ${name}`, () => {
      const wrong = [
        null,
        {},
        7,
        ...(typeof value === 'boolean' ? ['true'] : [true]),
        ...(Array.isArray(value) ? ['x', [7]] : [['x']]),
      ];
      for (const other of wrong) {
        assert.equal(
          parseToProxy({ ...START, network: { ...NETWORK, [name]: other } }),
          undefined,
          JSON.stringify(other),
        );
      }
    });
  }

  it('requires the URL and the route of an answer, with a known source', () => {
    const found = {
      type: 'proxyFound',
      url: 'https://enclave.example/',
      route: { url: 'http://p:1', source: 'system' },
    };
    const routes = [[], { url: '' }, { url: 7, source: 'system' }, { url: '', source: 'toString' }, { source: 'none' }];
    refusesEachField(parseToProxy, found, { url: [7], route: routes });
  });

  it('accepts only a string as the ownership secret', () => {
    for (const ownership of [null, 7, {}, ['AAAA']]) {
      const secrets = { ...SECRETS, ownership };
      assert.equal(parseToProxy({ ...START, secrets }), undefined);
      assert.equal(parseToProxy({ type: 'secrets', secrets }), undefined);
    }
  });

  it('requires every field of the rules for images with its type', () => {
    for (const wrong of [
      { last: undefined },
      { last: 7 },
      { confirm: 'true' },
      { acceptsFirst: undefined },
      { accepted: 'ab' },
      { refused: [7] },
    ])
      assert.equal(parseToProxy({ ...START, images: { ...IMAGES, ...wrong } }), undefined);
  });

  it('refuses unknown settings of any name', () => {
    for (const name of ['Port', 'apiKey', 'toString', '__proto__', 'constructor', 'hasOwnProperty', '']) {
      const settings = JSON.parse(`{${JSON.stringify(name)}:"host"}`) as object;
      assert.equal(parseToProxy({ ...START, settings }), undefined, name);
      assert.equal(parseToProxy({ type: 'update', settings }), undefined, name);
      assert.equal(parseToProxy({ ...START, network: settings }), undefined, name);
    }
  });

  it('requires an API key or null, and a list of access keys, as secrets', () => {
    for (const secrets of [
      {},
      { apiKey: 'sk-1' },
      { accessKeys: [] },
      { apiKey: undefined, accessKeys: [] },
      { apiKey: 7, accessKeys: [] },
      { apiKey: ['sk-1'], accessKeys: [] },
      { apiKey: 'sk-1', accessKeys: 'sealed-1' },
      { apiKey: 'sk-1', accessKeys: [7] },
      { apiKey: 'sk-1', accessKeys: ['sealed-1', null] },
      { apiKey: 'sk-1', accessKeys: null },
    ]) {
      assert.equal(parseToProxy({ type: 'secrets', secrets }), undefined, JSON.stringify(secrets));
      assert.equal(parseToProxy({ ...START, secrets }), undefined, JSON.stringify(secrets));
    }
  });
});

describe('parseFromProxy()', () => {
  const READY = { type: 'ready', url: 'http://127.0.0.1:1', port: 1, version: '1.2.3' };
  const FAILED = { type: 'failed', code: 'port_taken', setting: 'port', message: 'taken' };
  const HANDSHAKE_FAILED = { type: 'handshakeFailed', code: 'network', detail: null, message: 'offline' };
  const CONFIRM = {
    type: 'confirmImage',
    image: { pcr0: 'ab', approvedBy: 'pinned', listedSince: 7, refused: false },
  };
  const SESSION = { type: 'verified', verified: VERIFIED, establishedAt: 1 };

  for (const message of [
    READY,
    SESSION,
    { ...SESSION, verified: { ...VERIFIED, approvedBy: 'additional' } },
    { ...SESSION, verified: { ...VERIFIED, approvedBy: 'history', listedSince: 7 } },
    { ...SESSION, verified: { ...VERIFIED, listedSince: null } },
    CONFIRM,
    { ...CONFIRM, image: { ...CONFIRM.image, listedSince: null } },
    { ...SESSION, verified: { kind: 'development', moduleId: 'i-1' } },
    { ...SESSION, verified: { kind: 'development', moduleId: null } },
    ...['expired', 'slept', 'rejected', 'bad_response', 'closed'].map((reason) => ({ type: 'sessionLost', reason })),
    HANDSHAKE_FAILED,
    { ...HANDSHAKE_FAILED, detail: 'debug_mode' },
    ...['invalid_setting', 'port_taken', 'cannot_listen', 'invalid_message'].map((code) => ({ ...FAILED, code })),
    { ...FAILED, setting: null },
    { type: 'stopped' },
    { type: 'outcomeChanged', success: false },
    { type: 'accessKeyUsed', id: '0123456789abcdef' },
    { type: 'findProxy', url: 'https://enclave.example/' },
    { type: 'chatAnswered', id: '0123456789abcdef' },
    { type: 'usageSums', since: 1, sums: [] },
    { type: 'usageSums', since: 1, sums: [SUM, SUM] },
  ] satisfies (FromProxy | object)[]) {
    it(`accepts ${JSON.stringify(message).slice(0, 70)}`, () => {
      assert.deepEqual(parseFromProxy(structuredClone(message)), message);
    });
  }

  it('refuses values that are not an object of a known type', () => {
    for (const value of NO_MESSAGES) assert.equal(parseFromProxy(value), undefined, JSON.stringify(value));
    assert.equal(parseFromProxy({ type: 'stop' }), undefined);
  });

  it('requires every field with its type', () => {
    refusesEachField(parseFromProxy, READY, { url: [7], port: ['1'], version: [7] });
    refusesEachField(parseFromProxy, { type: 'sessionLost', reason: 'slept' }, { reason: ['tired', '', 7] });
    refusesEachField(parseFromProxy, SESSION, { establishedAt: ['1'], verified: [[], 'verified', 7] });
    refusesEachField(parseFromProxy, HANDSHAKE_FAILED, { code: [7], message: [7] });
    refusesEachField((image) => parseFromProxy({ ...CONFIRM, image }), CONFIRM.image, {
      pcr0: [7],
      approvedBy: ['user', 7],
    });
    for (const wrong of [{ listedSince: undefined }, { listedSince: '7' }, { refused: undefined }, { refused: 'no' }])
      assert.equal(parseFromProxy({ ...CONFIRM, image: { ...CONFIRM.image, ...wrong } }), undefined);
    refusesEachField(parseFromProxy, FAILED, { code: ['else', 7], message: [7] });
    refusesEachField(parseFromProxy, { type: 'accessKeyUsed', id: 'x' }, { id: [7, ['x']] });
    refusesEachField(parseFromProxy, { type: 'findProxy', url: 'x' }, { url: [7, ['x']] });
    refusesEachField(parseFromProxy, { type: 'chatAnswered', id: 'x' }, { id: [7, ['x']] });
    refusesEachField(parseFromProxy, { type: 'usageSums', since: 1, sums: [SUM] }, { since: ['1'], sums: [SUM, [7]] });
    for (const success of [undefined, null, 7, 'true'])
      assert.equal(parseFromProxy({ type: 'outcomeChanged', success }), undefined);
    for (const value of [undefined, 7, {}, ['x']]) {
      assert.equal(parseFromProxy({ ...HANDSHAKE_FAILED, detail: value }), undefined);
      assert.equal(parseFromProxy({ ...FAILED, setting: value }), undefined);
    }
  });

  it('requires every field of an attestation summary with its type', () => {
    const parse = (verified: unknown) => parseFromProxy({ ...SESSION, verified });
    refusesEachField(parse, VERIFIED, {
      kind: ['trusted', 'Verified', 7],
      environment: [7],
      pcr0: [7],
      approvedBy: ['user', 7],
      moduleId: [7],
      timestamp: ['1'],
      certificateNotBefore: ['1'],
      certificateNotAfter: ['1'],
      document: [7],
    });
    assert.equal(parse({ ...VERIFIED, listedSince: '7' }), undefined);
    for (const moduleId of [undefined, 7, {}]) assert.equal(parse({ kind: 'development', moduleId }), undefined);
  });
});
