// A proxy that has answered a request over a session with a verified enclave, and a window that may ask it for its evidence.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createTlsIdentity } from '../../../src/devEnclave/attestation/tlsIdentity.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { VerifiedConnection } from '../../../src/supervisor/localProxy.ts';
import { SETTING_PCR0 } from '../evidenceFixtures.ts';
import { chatBody } from './chat.ts';
import { sendRequest } from './httpClient.ts';
import type { InternalProxy, Scope } from './scope.ts';

interface VerifiedSession {
  readonly enclave: RunningEnclave;
  readonly proxy: InternalProxy;
  readonly connection: VerifiedConnection;
}

export async function openVerifiedSession(scope: Scope): Promise<VerifiedSession> {
  const tls = createTlsIdentity(Date.now());
  const ownership = randomBytes(32);
  const enclave = await scope.enclave({ tls, signed: { moduleId: 'i-1-enc2' } });
  const proxy = await scope.internalProxy(
    enclave,
    { PROXY_ADDITIONAL_PCR0: SETTING_PCR0 },
    { network: { certificates: [tls.ca] }, internals: { anchors: enclave.anchors }, ownership },
  );
  assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
  const connection = new VerifiedConnection(proxy.port, ownership);
  scope.onClose(() => {
    connection.end();
    return Promise.resolve();
  });
  await connection.probe();
  return { enclave, proxy, connection };
}
