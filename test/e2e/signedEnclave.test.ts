// An enclave that the proxy verifies completely: https and signed documents. The proxy has no setting to trust an
// authority other than AWS, so where it must, it runs inside this process.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import type { EnclaveOptions, RunningEnclave } from '../../src/devEnclave/server.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { AttestationSummary } from '../../src/shared/messages.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { listFaults } from '../support/e2e/faultList.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import type { InternalProxy, Settings } from '../support/e2e/scope.ts';

const OTHER_PCR0 = 'ab'.repeat(48);
const TLS = createTlsIdentity(Date.now());
const HOUR = 3_600_000;

/** The detail in the log for each fault. */
const EXPECTED: Readonly<Record<string, string>> = {
  'expired-certificate': 'certificate_expired',
  'untrusted-root': 'untrusted_root',
  'debug-pcr0': 'debug_mode',
  'bad-signature': 'signature',
  'unsigned-document': 'malformed_document',
};

describe('An enclave with signed documents', () => {
  const scope = perTest();
  let verified: EventQueue<AttestationSummary>;

  const start = (options: EnclaveOptions = {}) =>
    scope.enclave({ tls: TLS, signed: { moduleId: 'i-1-enc2' }, ...options });

  /** A proxy that trusts the enclave's authority instead of AWS. */
  const trusting = (enclave: RunningEnclave, settings: Settings = {}): Promise<InternalProxy> => {
    verified = new EventQueue();
    return scope.internalProxy(
      enclave,
      { PROXY_ADDITIONAL_PCR0: `${OTHER_PCR0},${toHex(DEVELOPMENT_PCR0)}`, ...settings },
      {
        network: { certificates: [TLS.ca] },
        internals: { anchors: enclave.anchors },
        onEvent: (event) => {
          if (event.type === 'verified') verified.add(event.verified);
        },
      },
    );
  };

  const logged = (proxy: InternalProxy, event: string) =>
    proxy.log.find(`the log line ${event}`, (line) => line.event === event);

  const assertRefused = async (enclave: RunningEnclave, url: string, error = 'attestation_failed') => {
    assertError(await sendRequest(url, { body: chatBody('Hello') }), backendError(error));
    assert.deepEqual([enclave.journal.requests.length, enclave.journal.rejections.length], [0, 0]);
  };

  it('is accepted by a proxy that trusts its authority and its image', async () => {
    const begin = Date.now();
    const enclave = await start();
    const proxy = await trusting(enclave);
    const response = await sendRequest(proxy.url, { body: chatBody('Hello', { stream: true }) });
    assert.deepEqual([response.status, response.broken], [200, false]);
    const summary = await verified.find('the attestation summary', () => true);
    assert.ok(summary.kind === 'verified');
    const { document, timestamp, certificateNotBefore, certificateNotAfter, ...rest } = summary;
    assert.deepEqual(rest, {
      kind: 'verified',
      environment: 'production',
      pcr0: toHex(DEVELOPMENT_PCR0),
      approvedBy: 'additional',
      listedSince: null,
      moduleId: 'i-1-enc2',
    });
    assert.ok(timestamp >= begin && timestamp <= Date.now());
    assert.ok(certificateNotBefore < timestamp && timestamp < certificateNotAfter);
    assert.ok(certificateNotAfter - certificateNotBefore < 4 * HOUR);
    assert.ok(Buffer.from(document, 'base64').length > 2000);
    const { verified: isVerified, pcr0, moduleId } = await logged(proxy, 'session');
    assert.deepEqual([isVerified, pcr0, moduleId], [true, toHex(DEVELOPMENT_PCR0), 'i-1-enc2']);
  });

  for (const fault of listFaults().get('In the handshake of an enclave that signs its documents') ?? []) {
    it(`is rejected with a fault and accepted again without: ${fault}`, async () => {
      const enclave = await start({ faults: fault });
      const proxy = await trusting(enclave);
      await assertRefused(enclave, proxy.url, fault === 'unsigned-document' ? 'not_an_enclave' : 'attestation_failed');
      const { code, detail } = await logged(proxy, 'handshake_failed');
      assert.deepEqual([code, detail], ['attestation_refused', EXPECTED[fault]]);
      enclave.setFaults('');
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    });
  }

  for (const fault of ['wrong-nonce', 'wrong-user-data', 'wrong-public-key', 'short-public-key', 'low-order-key']) {
    it(`is rejected despite a valid signature: ${fault}`, async () => {
      const enclave = await start({ faults: fault });
      await assertRefused(enclave, (await trusting(enclave)).url);
    });
  }

  it('is rejected if its image is unknown and the signed history cannot be fetched', async () => {
    const enclave = await start();
    // The history would be fetched through a proxy that does not exist; the enclave is reached directly.
    const proxy = await scope.internalProxy(
      enclave,
      { PROXY_ADDITIONAL_PCR0: OTHER_PCR0 },
      {
        network: { certificates: [TLS.ca], httpsProxy: 'http://127.0.0.1:9' },
        internals: { anchors: enclave.anchors },
      },
    );
    await assertRefused(enclave, proxy.url, 'image_not_approved');
    assert.equal((await logged(proxy, 'handshake_failed'))['code'], 'history_unavailable');
  });

  it('is rejected if the clock of the computer is wrong, with the difference in the log', async () => {
    const enclave = await start({ clock: () => Date.now() - 5 * HOUR });
    const proxy = await trusting(enclave);
    await assertRefused(enclave, proxy.url);
    const { detail, message } = await logged(proxy, 'handshake_failed');
    assert.equal(detail, 'clock');
    assert.match(String(message), /clock is about (5 hours|\d+ minutes) ahead of the enclave/);
  });

  it('is rejected with an untrusted TLS certificate, unless the settings allow it', async () => {
    const enclave = await start();
    const settings = { PROXY_ADDITIONAL_PCR0: toHex(DEVELOPMENT_PCR0) };
    const internals = { anchors: enclave.anchors };
    const strict = await scope.internalProxy(enclave, settings, { internals });
    await assertRefused(enclave, strict.url, 'backend_unreachable');
    const { code, detail } = await logged(strict, 'handshake_failed');
    assert.equal(code, 'network');
    assert.match(String(detail), /^[A-Z_]*(CERT|ISSUER|SIGNATURE)[A-Z_]*$/);
    const lenient = await scope.internalProxy(enclave, settings, { internals, network: { strictTls: false } });
    assert.equal((await sendRequest(lenient.url, { body: chatBody('Hello') })).status, 200);
    const anyone = await start();
    const deceived = await scope.internalProxy(anyone, settings, { internals, network: { strictTls: false } });
    await assertRefused(anyone, deceived.url);
  });

  it('is verified on a loopback address too, and rejected by a proxy that trusts only AWS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-e2e-'));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, TLS.ca);
    // Certificates in the settings are added to those that Node trusts, they do not replace them.
    for (const [env, certificates] of [
      [{}, [TLS.ca]],
      [{ NODE_EXTRA_CA_CERTS: file }, undefined],
      [{ NODE_EXTRA_CA_CERTS: file }, [createTlsIdentity(Date.now()).ca]],
    ] as const) {
      const enclave = await start();
      const hosted = scope.hosted({ env });
      hosted.send({
        type: 'start',
        settings: { backendUrl: enclave.url, port: 0, additionalPcr0: [toHex(DEVELOPMENT_PCR0)] },
        secrets: { apiKey: API_KEY, accessKeys: [ACCESS_KEY] },
        cacheNamespaceRoot: randomBytes(32).toString('base64'),
        network: certificates === undefined ? {} : { certificates },
      });
      const { url } = await hosted.message('ready');
      await assertRefused(enclave, url);
      const { code, detail } = await hosted.message('handshakeFailed');
      assert.deepEqual([code, detail], ['attestation_refused', 'untrusted_root']);
      assert.equal(
        hosted.messages.items.find(({ type }) => type === 'verified'),
        undefined,
      );
    }
    rmSync(folder, { recursive: true });
  });
});
