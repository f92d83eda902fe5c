// The network of a company: proxies that the editor knows, that want a password, and certificates of its own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PINS } from '../../src/attestation/pins.ts';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { FromProxy, NetworkSettings, ToProxy } from '../../src/shared/messages.ts';
import type { ProxyRoute } from '../../src/shared/network.ts';
import { probe } from '../../src/supervisor/portProbe.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { identityFor, openCompanyProxy, openFileServer } from '../support/e2e/companyProxy.ts';
import type { ProxyAuthentication } from '../support/e2e/companyProxy.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import type { HostedProxy } from '../support/e2e/hosted.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';

const REMOTE = 'enclave.remote.example';
const HISTORY = new URL(PINS.production.historyUrl);
const TLS = identityFor(REMOTE, HISTORY.hostname);
const BODY = chatBody('Hello');
const PASSWORD = 'password-of-a-company-proxy';
const BASIC = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
const WANTS_BASIC: ProxyAuthentication = { credentials: `user:${PASSWORD}`, challenges: ['Basic realm="company"'] };
const OWNERSHIP = Buffer.alloc(32, 7);

describe('A company network', () => {
  const scope = perTest();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-network-'));
    scope.onClose(() => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    });
  });

  const companyProxy = async (routes: Readonly<Record<string, number>>, authentication?: ProxyAuthentication) => {
    const proxy = await openCompanyProxy(routes, authentication);
    scope.onClose(() => proxy.close());
    return proxy;
  };

  /** Starts a hosted proxy; resolves when it is ready. */
  const start = async (proxy: HostedProxy, backendUrl: string, network: NetworkSettings) => {
    const message: ToProxy = {
      type: 'start',
      settings: { backendUrl, port: 0, logLevel: 'trace' },
      secrets: { apiKey: API_KEY, accessKeys: [ACCESS_KEY], ownership: OWNERSHIP.toString('base64') },
      cacheNamespaceRoot: Buffer.alloc(32, 5).toString('base64'),
      network,
    };
    proxy.send(message);
    return proxy.message('ready');
  };

  /** What the proxy reports to the user's windows about its connections. */
  const networkReport = async (port: number) => {
    const found = await probe(port, OWNERSHIP);
    assert.equal(found.kind, 'own');
    return found.report.network;
  };

  it('is used as the editor says: one proxy for the backend, another one for the history', async () => {
    const history = readFileSync(fromRoot('test/fixtures/pcr-history-prod.json'));
    const entries = JSON.parse(history.toString()) as { PCR0: string }[];
    const known = entries.find(({ PCR0 }) => !PINS.production.pcr0.includes(PCR0))?.PCR0 ?? '';
    const enclave = await scope.enclave({ tls: TLS, signed: { pcr0: Buffer.from(known, 'hex') } });
    const histories = await openFileServer(TLS, { [HISTORY.pathname]: history });
    scope.onClose(() => histories.close());
    const forBackend = await companyProxy({ [`${REMOTE}:443`]: enclave.port }, WANTS_BASIC);
    const forHistory = await companyProxy({ [`${HISTORY.hostname}:443`]: histories.port });
    const routes: Readonly<Record<string, ProxyRoute>> = {
      [`https://${REMOTE}/`]: { url: forBackend.url, source: 'system' },
      [`${HISTORY.origin}/`]: { url: forHistory.url, source: 'system' },
    };
    const proxy = await scope.internalProxy(
      { url: `https://${REMOTE}` },
      {},
      {
        network: { certificates: [TLS.ca], proxyAuthorization: BASIC },
        findProxy: (url) => Promise.resolve(routes[url]),
        internals: { anchors: enclave.anchors },
        ownership: OWNERSHIP,
      },
    );
    assert.equal((await sendRequest(proxy.url, { body: BODY })).status, 200);
    assert.deepEqual([...new Set(forBackend.tunnels)], [`${REMOTE}:443`]);
    assert.deepEqual([...new Set(forHistory.tunnels)], [`${HISTORY.hostname}:443`]);
    const report = await networkReport(proxy.port);
    const expected = { source: 'system', authentication: 'sent', schemes: [] };
    assert.deepEqual(report?.backend, { proxy: new URL(forBackend.url).host, ...expected });
    assert.deepEqual(report.history, { proxy: new URL(forHistory.url).host, ...expected });
  });

  const answer = (proxy: HostedProxy, ...routes: readonly ProxyRoute[]): EventQueue<string> => {
    const questions = new EventQueue<string>();
    proxy.child.on('message', (message: FromProxy) => {
      if (message.type !== 'findProxy') return;
      questions.add(message.url);
      const route = routes[Math.min(questions.items.length, routes.length) - 1];
      if (route !== undefined) proxy.send({ type: 'proxyFound', url: message.url, route });
    });
    return questions;
  };

  it('gets the password from http.proxyAuthorization, which appears nowhere else', async () => {
    const company = await companyProxy({}, WANTS_BASIC);
    const proxy = scope.hosted();
    const questions = answer(proxy, { url: company.url, source: 'system' });
    const { port } = await start(proxy, `https://${REMOTE}`, { asksEditor: true, proxyAuthorization: BASIC });
    await proxy.logged('handshake_failed', { detail: 'proxy_refused' }); // the tunnel leads nowhere
    assert.equal(company.credentials[0], `user:${PASSWORD}`);
    assert.equal(questions.items[0], `https://${REMOTE}/`);
    assert.equal((await networkReport(port))?.backend?.authentication, 'sent');
    const process = `/proc/${proxy.pid}`;
    const texts = [
      ...proxy.stderr.items,
      ...proxy.stdout.items,
      JSON.stringify(proxy.messages.items),
      JSON.stringify(await networkReport(port)),
      ...['cmdline', 'environ'].map((file) => readFileSync(`${process}/${file}`, 'latin1')),
    ];
    assertNoSecretLeaks({ 'the password': PASSWORD, 'its encoding': BASIC.slice(6) }, texts.join('\n'), 'the output');
  });

  for (const [what, challenges, detail] of [
    ['a password', ['Basic realm="company"', 'NTLM'], 'proxy_authentication'],
    ['Kerberos', ['Negotiate', 'NTLM'], 'proxy_authentication_unsupported'],
  ] as const) {
    it(`is reported when its proxy wants ${what}`, async () => {
      const company = await companyProxy({}, { challenges });
      const proxy = scope.hosted();
      answer(proxy, { url: company.url, source: 'system' });
      const { url, port } = await start(proxy, `https://${REMOTE}`, { asksEditor: true });
      const failed = await proxy.message('handshakeFailed');
      assert.deepEqual([failed.code, failed.detail], ['network', detail]);
      assert.equal((await sendRequest(url, { body: BODY })).status, 502);
      const report = await networkReport(port);
      assert.equal(report?.backend?.authentication, 'required');
      assert.deepEqual(
        report.backend.schemes,
        challenges.map((challenge) => challenge.split(' ')[0]),
      );
    });
  }

  it('may change: the next connection goes the new way', async () => {
    const [home, office] = [await openCompanyProxy({}), await companyProxy({})];
    const proxy = scope.hosted();
    await home.close();
    answer(proxy, { url: home.url, source: 'system' }, { url: office.url, source: 'system' });
    const { url } = await start(proxy, `https://${REMOTE}`, { asksEditor: true });
    await proxy.logged('handshake_failed', { detail: 'proxy_unreachable' });
    assert.equal((await sendRequest(url, { body: BODY })).status, 502);
    await proxy.logged('handshake_failed', { detail: 'proxy_refused' });
    assert.deepEqual([...new Set(office.tunnels)], [`${REMOTE}:443`]);
  });

  it('may sign TLS certificates with an authority that only the operating system knows', async () => {
    const enclave = await scope.enclave({ tls: TLS, signed: {} });
    const company = await companyProxy({ [`${REMOTE}:443`]: enclave.port });
    const store = join(folder, 'store.pem');
    writeFileSync(store, TLS.ca);
    const settings = { PROXY_ADDITIONAL_PCR0: toHex(DEVELOPMENT_PCR0) };
    const before = process.env['SSL_CERT_FILE'];
    process.env['SSL_CERT_FILE'] = store; // the system's store of a Linux computer, for the process that reads it
    scope.onClose(() => {
      if (before === undefined) Reflect.deleteProperty(process.env, 'SSL_CERT_FILE');
      else process.env['SSL_CERT_FILE'] = before;
      return Promise.resolve();
    });
    for (const [systemCertificates, status] of [
      [true, 200],
      [false, 502],
    ] as const) {
      const network = { httpsProxy: company.url, noProxy: '', systemCertificates };
      const options = { network, internals: { anchors: enclave.anchors }, ownership: OWNERSHIP };
      const proxy = await scope.internalProxy({ url: `https://${REMOTE}` }, settings, options);
      assert.equal((await sendRequest(proxy.url, { body: BODY })).status, status);
      const { system = 0 } = (await networkReport(proxy.port))?.certificates ?? {};
      assert.equal(typeof system === 'number' && system > 0, systemCertificates);
    }
  });

  describe('on a computer that reads its certificates slowly', () => {
    const startSlowly = async (backendUrl: string) => {
      const gate = join(folder, 'gate');
      const preload = fromRoot('test/support/e2e/slowCertificates.cjs');
      const proxy = scope.hosted({ env: { NODE_OPTIONS: `--require ${preload}`, GATE: gate } });
      const ready = await start(proxy, backendUrl, { systemCertificates: true });
      return {
        ...ready,
        proxy,
        openGate: () => {
          writeFileSync(gate, '');
        },
      };
    };

    it('listens at once; requests wait for the certificates, and succeed', async () => {
      const enclave = await scope.enclave();
      const { url, port, openGate } = await startSlowly(enclave.url);
      assert.equal((await sendRequest(url, { method: 'GET', path: '/health' })).status, 200);
      assert.equal((await networkReport(port))?.certificates, null);
      const answering = sendRequest(url, { body: BODY });
      assert.equal((await sendRequest(url, { method: 'GET', path: '/health' })).status, 200);
      assert.equal(enclave.journal.handshakes, 0);
      openGate();
      assert.equal((await answering).status, 200);
      assert.notEqual((await networkReport(port))?.certificates, null);
    });

    it('can be stopped meanwhile', async () => {
      const { proxy } = await startSlowly((await scope.enclave()).url);
      proxy.send({ type: 'stop' });
      assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
    });

    it('ends at once with the editor', async () => {
      const { proxy } = await startSlowly((await scope.enclave()).url);
      proxy.child.disconnect();
      assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
    });
  });
});
