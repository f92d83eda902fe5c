// Reaching a remote enclave directly or through a company's proxy, and the signed history of enclave images.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PINS } from '../../src/attestation/pins.ts';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { AttestationSummary } from '../../src/shared/messages.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { identityFor, openCompanyProxy, openFileServer } from '../support/e2e/companyProxy.ts';
import type { CompanyProxy } from '../support/e2e/companyProxy.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { perTest } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';

const REMOTE = 'enclave.remote.example';
const HISTORY = new URL(PINS.production.historyUrl);
const TLS = identityFor(REMOTE, HISTORY.hostname);
/** From an authority that is not trusted. */
const UNTRUSTED_TLS = identityFor(HISTORY.hostname);
const APPROVED = { PROXY_ADDITIONAL_PCR0: toHex(DEVELOPMENT_PCR0) };
const BODY = chatBody('Hello');

describe('A remote enclave', () => {
  const scope = perTest();
  const url = `https://${REMOTE}`;

  const companyProxy = async (routes: Readonly<Record<string, number>>): Promise<CompanyProxy> => {
    const proxy = await openCompanyProxy(routes);
    scope.onClose(() => proxy.close());
    return proxy;
  };

  /** A proxy process with these environment variables. */
  const withEnvironment = (backendUrl: string, environment: Record<string, string>) =>
    scope.proxy({ url: backendUrl }, environment);

  it('is reached through the configured proxy', async () => {
    const enclave = await scope.enclave({ tls: TLS, signed: {} });
    const company = await companyProxy({ [`${REMOTE}:443`]: enclave.port });
    const network = { httpsProxy: company.url, certificates: [TLS.ca] };
    const proxy = await scope.internalProxy({ url }, APPROVED, { network, internals: { anchors: enclave.anchors } });
    for (let count = 0; count < 3; count++) assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    assert.ok(company.tunnels.length >= 1);
    assert.deepEqual([...new Set(company.tunnels)], [`${REMOTE}:443`]);
  });

  it('is reached directly when the settings exclude it from the proxy', async () => {
    const enclave = await scope.enclave({ tls: TLS, signed: {} });
    const company = await companyProxy({ [`${REMOTE}:443`]: enclave.port });
    const network = { httpsProxy: company.url, noProxy: '.remote.example', certificates: [TLS.ca] };
    const proxy = await scope.internalProxy({ url }, APPROVED, { network, internals: { anchors: enclave.anchors } });
    assertError(await sendRequest(proxy.url, { body: BODY }), backendError('backend_unreachable')); // the host does not exist
    assert.deepEqual(company.tunnels, []);
  });

  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    it(`is reached through the proxy in ${name}`, async () => {
      const company = await companyProxy({});
      const proxy = await withEnvironment(url, { [name]: company.url });
      assertError(await sendRequest(proxy.url, { body: BODY }), backendError('backend_unreachable'));
      assert.deepEqual([...new Set(company.tunnels)], [`${REMOTE}:443`]);
    });
  }

  it('is reached through a proxy with a password, which does not appear in the output', async () => {
    const company = await companyProxy({});
    const address = company.url.replace('//', '//user:password-of-a-company-proxy@');
    const proxy = await withEnvironment(url, { HTTPS_PROXY: address, PROXY_LOG_LEVEL: 'trace' });
    const response = await sendRequest(proxy.url, { body: BODY });
    assertError(response, backendError('backend_unreachable'));
    assert.deepEqual([...new Set(company.credentials)], ['user:password-of-a-company-proxy']);
    await proxy.logged('handshake_failed');
    const secrets = { 'the password': 'password-of-a-company-proxy' };
    assertNoSecretLeaks(secrets, [...proxy.stdout.items, ...proxy.stderr.items].join('\n'), 'the output');
  });

  it('is reached directly when NO_PROXY excludes it', async () => {
    const company = await companyProxy({});
    const proxy = await withEnvironment(url, { HTTPS_PROXY: company.url, NO_PROXY: 'a.example, remote.example' });
    assertError(await sendRequest(proxy.url, { body: BODY }), backendError('backend_unreachable'));
    assert.deepEqual(company.tunnels, []);
  });

  it('on this computer is never reached through a proxy', async () => {
    const enclave = await scope.enclave();
    const company = await companyProxy({});
    const environment = { HTTPS_PROXY: company.url, HTTP_PROXY: company.url, ALL_PROXY: company.url };
    for (const host of ['127.0.0.1', 'localhost']) {
      const proxy = await withEnvironment(`http://${host}:${enclave.port}`, environment);
      assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    }
    assert.deepEqual(company.tunnels, []);
  });

  it('is reached below the path of its URL', async () => {
    const enclave = await scope.enclave();
    const proxy = await withEnvironment(`${enclave.url}/below/`, {});
    assertError(await sendRequest(proxy.url, { body: BODY }), backendError('not_an_enclave'));
    assert.equal(enclave.journal.rejections[0]?.path, '/below/v2/session');
  });
});

describe('The image of an enclave', () => {
  const scope = perTest();
  const history = readFileSync(fromRoot('test/fixtures/pcr-history-prod.json'));
  const entries = JSON.parse(history.toString()) as { PCR0: string }[];
  const known = entries.find(({ PCR0 }) => !PINS.production.pcr0.includes(PCR0))?.PCR0 ?? '';

  /** A proxy in front of an enclave with this image, and a server with these signed histories. */
  const stage = async (
    pcr0: string,
    files: Readonly<Record<string, Uint8Array>>,
    { historyTls = TLS, strictTls = true } = {},
  ) => {
    const enclave = await scope.enclave({ tls: TLS, signed: { pcr0: Buffer.from(pcr0, 'hex') } });
    const histories = await openFileServer(historyTls, files);
    scope.onClose(() => histories.close());
    const company = await openCompanyProxy({
      [`${REMOTE}:443`]: enclave.port,
      [`${HISTORY.hostname}:443`]: histories.port,
    });
    scope.onClose(() => company.close());
    const verified = new EventQueue<AttestationSummary>();
    const proxy = await scope.internalProxy(
      { url: `https://${REMOTE}` },
      {},
      {
        network: { httpsProxy: company.url, certificates: [TLS.ca], strictTls },
        internals: { anchors: enclave.anchors },
        onEvent: (event) => {
          if (event.type === 'verified') verified.add(event.verified);
        },
      },
    );
    return { enclave, histories, verified, proxy };
  };

  const approvedBy = async (verified: EventQueue<AttestationSummary>) => {
    const attestation = await verified.find('the attestation', ({ kind }) => kind === 'verified');
    return (attestation as { approvedBy: string }).approvedBy;
  };

  const failure = (proxy: { log: EventQueue<{ event: string; code?: unknown; detail?: unknown }> }) =>
    proxy.log.find('a failed handshake', ({ event }) => event === 'handshake_failed');

  it('may be pinned; then no history is fetched', async () => {
    const { histories, verified, proxy } = await stage(PINS.production.pcr0[0] ?? '', {});
    assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    assert.equal(await approvedBy(verified), 'pinned');
    assert.deepEqual(histories.requests, []);
  });

  it('may be in the signed history, which is fetched once for all handshakes', async () => {
    const { enclave, histories, verified, proxy } = await stage(known, { [HISTORY.pathname]: history });
    assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    assert.equal(await approvedBy(verified), 'history');
    enclave.dropSessions();
    assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    assert.equal(enclave.journal.handshakes, 2);
    assert.deepEqual(histories.requests, [HISTORY.pathname]);
  });

  const refused: [string, string, Readonly<Record<string, Uint8Array>>, string, string | undefined][] = [
    [
      'it is not in the history',
      'cd'.repeat(48),
      { [HISTORY.pathname]: history },
      'attestation_refused',
      'pcr0_not_approved',
    ],
    ['there is no history', known, {}, 'history_unavailable', undefined],
    [
      'its entry in the history is not signed',
      known,
      { [HISTORY.pathname]: Buffer.from(history.toString().replace(/"signature": *"..../, '"signature":"AAAA')) },
      'attestation_refused',
      'pcr0_not_approved',
    ],
    [
      'the history is empty',
      known,
      { [HISTORY.pathname]: Buffer.from('[]') },
      'attestation_refused',
      'history_invalid',
    ],
    [
      'the history is too long',
      known,
      { [HISTORY.pathname]: Buffer.alloc(1024 * 1024 + 1, ' ') },
      'history_unavailable',
      undefined,
    ],
    [
      'it is pinned for development only',
      PINS.development.pcr0[0] ?? '',
      { [HISTORY.pathname]: history },
      'attestation_refused',
      'pcr0_not_approved',
    ],
  ];
  for (const [why, pcr0, files, code, detail] of refused) {
    it(`is refused when ${why}`, async () => {
      const { enclave, proxy }: { enclave: RunningEnclave; proxy: Parameters<typeof failure>[0] & { url: string } } =
        await stage(pcr0, files);
      assertError(await sendRequest(proxy.url, { body: BODY }), backendError('image_not_approved'));
      const line = await failure(proxy);
      assert.deepEqual([line.code, line.detail], [code, detail ?? line.detail]);
      assert.deepEqual([enclave.journal.requests.length, enclave.journal.rejections.length], [0, 0]);
    });
  }

  it('is not approved by a history from an untrusted server, even if the settings accept any TLS certificate', async () => {
    for (const strictTls of [true, false]) {
      const served = { [HISTORY.pathname]: history };
      const { enclave, histories, proxy } = await stage(known, served, { historyTls: UNTRUSTED_TLS, strictTls });
      assertError(await sendRequest(proxy.url, { body: BODY }), backendError('image_not_approved'));
      assert.equal((await failure(proxy)).code, 'history_unavailable');
      assert.deepEqual([enclave.journal.requests.length, histories.requests.length], [0, 0]);
    }
  });
});
