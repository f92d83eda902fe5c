// The way to an enclave that is elsewhere: through a company's proxy, or past it; and the signed history of images.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PINS } from '../../src/attestation/pins.ts';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { AttestationSummary } from '../../src/shared/messages.ts';
import { ask } from '../support/e2e/ask.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { identityFor, openCompanyProxy, openFileServer } from '../support/e2e/companyProxy.ts';
import type { CompanyProxy } from '../support/e2e/companyProxy.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { perTest } from '../support/e2e/scope.ts';

const ELSEWHERE = 'enclave.elsewhere.example';
const HISTORY = new URL(PINS.production.historyUrl);
const TLS = identityFor(ELSEWHERE, HISTORY.hostname);
/** Of an authority that nobody trusts. */
const NOBODYS_TLS = identityFor(HISTORY.hostname);
const APPROVED = { PROXY_ADDITIONAL_PCR0: toHex(DEVELOPMENT_PCR0) };
const BODY = chatBody('Hello');

describe('an enclave elsewhere', () => {
  const scope = perTest();
  const url = `https://${ELSEWHERE}`;

  const companyProxy = async (routes: Readonly<Record<string, number>>): Promise<CompanyProxy> => {
    const proxy = await openCompanyProxy(routes);
    scope.onClose(() => proxy.close());
    return proxy;
  };

  /** A real proxy whose environment says how to reach the world. */
  const withEnvironment = (backendUrl: string, environment: Record<string, string>) =>
    scope.proxy({ url: backendUrl }, environment);

  it('is reached through the proxy that the settings name', async () => {
    const enclave = await scope.enclave({ tls: TLS, signed: {} });
    const company = await companyProxy({ [`${ELSEWHERE}:443`]: enclave.port });
    const network = { httpsProxy: company.url, certificates: [TLS.ca] };
    const proxy = await scope.internalProxy({ url }, APPROVED, { network, internals: { anchors: enclave.anchors } });
    for (let count = 0; count < 3; count++) assert.equal((await ask(proxy.url, { body: BODY })).status, 200);
    assert.ok(company.tunnels.length >= 1);
    assert.deepEqual([...new Set(company.tunnels)], [`${ELSEWHERE}:443`]);
  });

  it('is not reached through it when the settings except it', async () => {
    const enclave = await scope.enclave({ tls: TLS, signed: {} });
    const company = await companyProxy({ [`${ELSEWHERE}:443`]: enclave.port });
    const network = { httpsProxy: company.url, noProxy: '.elsewhere.example', certificates: [TLS.ca] };
    const proxy = await scope.internalProxy({ url }, APPROVED, { network, internals: { anchors: enclave.anchors } });
    assertError(await ask(proxy.url, { body: BODY }, 15_000), ERRORS.backend); // there is no such host
    assert.deepEqual(company.tunnels, []);
  });

  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    it(`is reached through the proxy that ${name} names`, async () => {
      const company = await companyProxy({});
      const proxy = await withEnvironment(url, { [name]: company.url });
      assertError(await ask(proxy.url, { body: BODY }, 15_000), ERRORS.backend);
      assert.deepEqual([...new Set(company.tunnels)], [`${ELSEWHERE}:443`]);
    });
  }

  it('is reached through a proxy that wants a password, which nobody else hears of', async () => {
    const company = await companyProxy({});
    const address = company.url.replace('//', '//user:password-of-a-company-proxy@');
    const proxy = await withEnvironment(url, { HTTPS_PROXY: address, PROXY_LOG_LEVEL: 'trace' });
    const answer = await ask(proxy.url, { body: BODY }, 15_000);
    assertError(answer, ERRORS.backend);
    assert.deepEqual([...new Set(company.credentials)], ['user:password-of-a-company-proxy']);
    await proxy.logged('handshake_failed');
    const secrets = { 'the password': 'password-of-a-company-proxy' };
    assertNoSecretLeaks(secrets, [...proxy.stdout.items, ...proxy.stderr.items].join('\n'), 'the output');
  });

  it('is not reached through it when NO_PROXY excepts it', async () => {
    const company = await companyProxy({});
    const proxy = await withEnvironment(url, { HTTPS_PROXY: company.url, NO_PROXY: 'a.example, elsewhere.example' });
    assertError(await ask(proxy.url, { body: BODY }, 15_000), ERRORS.backend);
    assert.deepEqual(company.tunnels, []);
  });

  it('that is on this computer is never reached through a proxy', async () => {
    const enclave = await scope.enclave();
    const company = await companyProxy({});
    const environment = { HTTPS_PROXY: company.url, HTTP_PROXY: company.url, ALL_PROXY: company.url };
    for (const host of ['127.0.0.1', 'localhost']) {
      const proxy = await withEnvironment(`http://${host}:${enclave.port}`, environment);
      assert.equal((await ask(proxy.url, { body: BODY })).status, 200);
    }
    assert.deepEqual(company.tunnels, []);
  });

  it('is asked below the path of its URL', async () => {
    const enclave = await scope.enclave();
    const proxy = await withEnvironment(`${enclave.url}/below/`, {});
    assertError(await ask(proxy.url, { body: BODY }), ERRORS.backend);
    assert.equal(enclave.journal.rejections[0]?.path, '/below/v2/session');
  });
});

describe('the image of an enclave', () => {
  const scope = perTest();
  const history = readFileSync(fromRoot('test/fixtures/pcr-history-prod.json'));
  const entries = JSON.parse(history.toString()) as { PCR0: string }[];
  const known = entries.find(({ PCR0 }) => !PINS.production.pcr0.includes(PCR0))?.PCR0 ?? '';

  /** A proxy in front of an enclave of this image, and what the world has of signed histories. */
  const stage = async (
    pcr0: string,
    files: Readonly<Record<string, Uint8Array>>,
    { world: worldTls = TLS, strictTls = true } = {},
  ) => {
    const enclave = await scope.enclave({ tls: TLS, signed: { pcr0: Buffer.from(pcr0, 'hex') } });
    const world = await openFileServer(worldTls, files);
    scope.onClose(() => world.close());
    const company = await openCompanyProxy({
      [`${ELSEWHERE}:443`]: enclave.port,
      [`${HISTORY.hostname}:443`]: world.port,
    });
    scope.onClose(() => company.close());
    const verified = new EventQueue<AttestationSummary>();
    const proxy = await scope.internalProxy(
      { url: `https://${ELSEWHERE}` },
      {},
      {
        network: { httpsProxy: company.url, certificates: [TLS.ca], strictTls },
        internals: { anchors: enclave.anchors },
        events: {
          verified: (evidence) => {
            verified.add(evidence);
          },
        },
      },
    );
    return { enclave, world, verified, proxy };
  };

  const approvedBy = async (verified: EventQueue<AttestationSummary>) => {
    const evidence = await verified.find('the evidence', ({ kind }) => kind === 'verified');
    return (evidence as { approvedBy: string }).approvedBy;
  };

  const failure = (proxy: { log: EventQueue<{ event: string; code?: unknown; detail?: unknown }> }) =>
    proxy.log.find('a failed handshake', ({ event }) => event === 'handshake_failed');

  it('may be a pinned one, and then no history is asked', async () => {
    const { world, verified, proxy } = await stage(PINS.production.pcr0[0] ?? '', {});
    assert.equal((await ask(proxy.url, { body: BODY })).status, 200);
    assert.equal(await approvedBy(verified), 'pinned');
    assert.deepEqual(world.asked, []);
  });

  it('may be one of the signed history, which is fetched once for all handshakes', async () => {
    const { enclave, world, verified, proxy } = await stage(known, { [HISTORY.pathname]: history });
    assert.equal((await ask(proxy.url, { body: BODY })).status, 200);
    assert.equal(await approvedBy(verified), 'history');
    enclave.dropSessions();
    assert.equal((await ask(proxy.url, { body: BODY })).status, 200);
    assert.equal(enclave.journal.handshakes, 2);
    assert.deepEqual(world.asked, [HISTORY.pathname]);
  });

  const refused: [string, string, Readonly<Record<string, Uint8Array>>, string, string | undefined][] = [
    [
      'no history knows it',
      'cd'.repeat(48),
      { [HISTORY.pathname]: history },
      'attestation_refused',
      'pcr0_not_approved',
    ],
    ['there is no history', known, {}, 'history_unavailable', undefined],
    [
      'its line of the history is not signed',
      known,
      { [HISTORY.pathname]: Buffer.from(history.toString().replace(/"signature": *"..../, '"signature":"AAAA')) },
      'attestation_refused',
      'pcr0_not_approved',
    ],
    ['the history is none', known, { [HISTORY.pathname]: Buffer.from('[]') }, 'attestation_refused', 'history_invalid'],
    [
      'the history is too long',
      known,
      { [HISTORY.pathname]: Buffer.alloc(1024 * 1024 + 1, ' ') },
      'history_unavailable',
      undefined,
    ],
    [
      'it is pinned for development alone',
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
      assertError(await ask(proxy.url, { body: BODY }), ERRORS.backend);
      const line = await failure(proxy);
      assert.deepEqual([line.code, line.detail], [code, detail ?? line.detail]);
      assert.deepEqual([enclave.journal.requests.length, enclave.journal.rejections.length], [0, 0]);
    });
  }

  it('is not approved by a history of nobody’s, not even where the settings accept any TLS certificate', async () => {
    for (const strictTls of [true, false]) {
      const served = { [HISTORY.pathname]: history };
      const { enclave, world, proxy } = await stage(known, served, { world: NOBODYS_TLS, strictTls });
      assertError(await ask(proxy.url, { body: BODY }), ERRORS.backend);
      assert.equal((await failure(proxy)).code, 'history_unavailable');
      assert.deepEqual([enclave.journal.requests.length, world.asked.length], [0, 0]);
    }
  });
});
