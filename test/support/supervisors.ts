// What the parts of a supervisor are given in tests.
import { randomBytes } from 'node:crypto';
import type { CompleteProxySettings } from '../../src/settings/schema.ts';
import { digestKeySet } from '../../src/shared/ownership.ts';
import { Phase } from '../../src/supervisor/phase.ts';
import type { SupervisorSecrets } from '../../src/supervisor/supervisorHost.ts';
import type { Scope } from './e2e/scope.ts';
import { FakeProxy } from './fakeProxy.ts';

export const SECRET = randomBytes(32);
export const SECRETS: SupervisorSecrets = {
  apiKey: 'api-key',
  accessKeys: ['a', 'b'],
  ownKey: 'a',
  ownership: SECRET.toString('base64'),
  cacheNamespaceRoot: 'root',
};
export const KEY_SET_DIGEST = digestKeySet(SECRET, SECRETS.apiKey, SECRETS.accessKeys);
export const FOREIGN = { kind: 'foreign', isSealedProxy: false } as const;

export const SETTINGS: CompleteProxySettings = {
  port: 14_114,
  backendUrl: 'https://enclave.example',
  pcr0Environment: 'production',
  additionalPcr0: [],
  requestTimeoutSeconds: 300,
  streamIdleTimeoutSeconds: 300,
  capacityWaitSeconds: 0,
  messagesModel: '',
  responsesModel: '',
  allowedOrigins: [],
  logLevel: 'info',
};

export const readSecrets = () => Promise.resolve(SECRETS);

/** A fake proxy with `SECRET`. */
export async function startFake(scope: Scope, port = 0): Promise<FakeProxy> {
  const fake = await FakeProxy.start(SECRET, port);
  scope.onClose(() => fake.close());
  return fake;
}

export function openPhase(scope: Scope): Phase {
  const phase = new Phase();
  scope.onClose(() => {
    phase.end();
    return Promise.resolve();
  });
  return phase;
}

/** Waits for two more probes: the first one may have come before what the test has just changed. */
export async function twoMoreProbes(fake: FakeProxy): Promise<void> {
  await fake.requests.find('two more probes', () => true, fake.requests.items.length + 1);
}
