// The proxy as an editor hosts it: settings and keys come as messages, events go back as messages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { ToProxy } from '../../src/shared/messages.ts';
import { VERSION } from '../../src/shared/version.ts';
import { PLAIN_MODEL, chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import type { HostedProxy } from '../support/e2e/hosted.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

type Start = Extract<ToProxy, { type: 'start' }>;

const OTHER_KEY = `sealed-${'another_key'.repeat(4).slice(0, 43)}`;
const OK = { code: 0, signal: null };

describe('IpcHost', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let proxy: HostedProxy;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    proxy = scope.hosted();
  });

  const startMessage = (change: Partial<Start> = {}): Start => ({
    type: 'start',
    settings: { backendUrl: enclave.url, port: 0 },
    secrets: { apiKey: API_KEY, accessKeys: [ACCESS_KEY] },
    cacheNamespaceRoot: Buffer.alloc(32, 5).toString('base64'),
    network: {},
    ...change,
  });

  const start = async (change: Partial<Start> = {}) => {
    proxy.send(startMessage(change));
    return proxy.message('ready');
  };

  const models = (url: string, key = ACCESS_KEY) => sendRequest(url, { method: 'GET', path: '/v1/models', key });

  /** Resolves when all earlier messages have been handled: they keep their order. */
  const settled = async () => {
    const start = proxy.messages.items.length;
    proxy.child.send({ type: 'nonsense' });
    const { code } = await proxy.message('failed', start);
    assert.equal(code, 'invalid_message');
  };

  it('reports when it is ready and where, and serves', async () => {
    const { url, port, version } = await start();
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.equal(version, VERSION);
    assert.equal((await models(url)).status, 200);
    assert.deepEqual(proxy.stdout.items, []);
  });

  it('reports the attestation result, here of a development backend', async () => {
    const begin = Date.now();
    await start();
    const { verified, establishedAt } = await proxy.message('verified');
    assert.equal(verified.kind, 'development');
    assert.match(verified.moduleId ?? '', /^i-/);
    assert.ok(establishedAt >= begin && establishedAt <= Date.now());
  });

  it('reports a lost session, and the next one', async () => {
    const { url } = await start();
    await proxy.message('verified');
    enclave.dropSessions();
    const before = proxy.messages.items.length;
    assert.equal((await models(url)).status, 200);
    assert.equal((await proxy.message('sessionLost', before)).reason, 'rejected');
    await proxy.message('verified', before);
  });

  it('reports the code of a failed handshake, and serves once a handshake succeeds', async () => {
    enclave.setFaults('wrong-nonce');
    const { url } = await start();
    const { code, detail, message } = await proxy.message('handshakeFailed');
    assert.deepEqual([code, detail], ['attestation_refused', 'nonce_mismatch']);
    assert.match(message, /^The attestation failed: /);
    enclave.setFaults('');
    assert.equal((await models(url)).status, 200);
    await proxy.message('verified');
  });

  it('uses changed keys at once: a revoked access key is refused, a new one accepted', async () => {
    const { url } = await start();
    const stream = await openResponse(url, { body: chatBody('/burst 100', { stream: true }) });
    proxy.send({ type: 'secrets', secrets: { apiKey: API_KEY, accessKeys: [OTHER_KEY] } });
    await settled();
    assertError(await models(url), ERRORS.unknownAccessKey);
    assert.equal((await models(url, OTHER_KEY)).status, 200);
    assert.equal((await readResponse(stream)).broken, false);
    proxy.send({ type: 'secrets', secrets: { apiKey: null, accessKeys: [OTHER_KEY] } });
    await settled();
    assertError(await models(url, OTHER_KEY), ERRORS.noApiKey);
    proxy.send({ type: 'secrets', secrets: { apiKey: 'dev-another', accessKeys: [OTHER_KEY] } });
    await settled();
    const index = enclave.journal.requests.length;
    assert.equal((await models(url, OTHER_KEY)).status, 200);
    const before = enclave.journal.requests[0]?.credential?.sha256;
    assert.notEqual((await enclave.journal.request(index)).credential?.sha256, before);
    assert.equal(enclave.journal.handshakes, 1);
  });

  it('handles messages right behind the start in order: a revoked access key is never accepted', async () => {
    proxy.send(startMessage());
    proxy.send({ type: 'secrets', secrets: { apiKey: API_KEY, accessKeys: [OTHER_KEY] } });
    proxy.send({ type: 'update', settings: { allowedHosts: ['proxy.example'] } });
    const { url, port } = await proxy.message('ready');
    assertError(await models(url), ERRORS.unknownAccessKey);
    assert.equal((await models(url, OTHER_KEY)).status, 200);
    const headers = { host: `proxy.example:${port}` };
    assert.equal((await sendRequest(url, { method: 'GET', path: '/health', headers })).status, 200);
  });

  it('uses changed settings at once, and keeps the others', async () => {
    const { url, port } = await start({
      settings: { backendUrl: enclave.url, port: 0, allowedHosts: ['proxy.example'], requestTimeoutSeconds: 20 },
    });
    proxy.send({
      type: 'update',
      settings: { requestTimeoutSeconds: 0.2, allowedOrigins: ['https://app.example'], logLevel: 'error' },
    });
    await settled();
    assertError(await sendRequest(url, { body: chatBody('/hang') }), ERRORS.timeout);
    const headers = { origin: 'https://app.example', host: `proxy.example:${port}` };
    assert.equal((await sendRequest(url, { method: 'GET', path: '/health', headers })).status, 200);
    const lines = proxy.log.length;
    proxy.send({ type: 'update', settings: { allowedHosts: [], requestTimeoutSeconds: 20 } });
    await settled();
    assertError(await sendRequest(url, { method: 'GET', path: '/health', headers }), ERRORS.foreignHost);
    assert.equal((await sendRequest(url, { body: chatBody('/wait 300 Hello') })).status, 200);
    assert.equal(proxy.log.length, lines);
    assert.equal(enclave.journal.handshakes, 1);
  });

  it('uses changed settings of the dialects at once', async () => {
    const { url } = await start();
    for (const { replyPath, body, name } of DIALECTS_UNDER_TEST) {
      const ask = () => sendRequest(url, { path: replyPath, body: body('Hello', { model: 'unknown' }) });
      assert.equal((await ask()).status, 404);
      proxy.send({ type: 'update', settings: { [`${name}Model`]: PLAIN_MODEL } });
      await settled();
      assert.equal((await ask()).status, 200);
      proxy.send({ type: 'update', settings: { [`${name}Model`]: '' } });
      await settled();
      assert.equal((await ask()).status, 404);
    }
  });

  it('allows no web page with an empty list of origins, and the pages of the editor without a list', async () => {
    const { url } = await start();
    const health = () =>
      sendRequest(url, { method: 'GET', path: '/health', headers: { origin: 'vscode-webview://x' } });
    assert.equal((await health()).status, 200);
    proxy.send({ type: 'update', settings: { allowedOrigins: [] } });
    await settled();
    assertError(await health(), ERRORS.foreignOrigin);
    const other = scope.hosted();
    other.send(startMessage({ settings: { backendUrl: enclave.url, port: 0, allowedOrigins: [] } }));
    const strict = await other.message('ready');
    const headers = { origin: 'vscode-webview://x' };
    assertError(await sendRequest(strict.url, { method: 'GET', path: '/health', headers }), ERRORS.foreignOrigin);
  });

  it('refuses settings that cannot be used, names them, and goes on unchanged', async () => {
    const refusals: [Partial<Start>, string | null][] = [
      [{ settings: { port: 70_000 } }, 'port'],
      [{ settings: { host: 'nowhere' } }, 'host'],
      [{ settings: { backendUrl: 'http://enclave.example' } }, 'backendUrl'],
      [{ settings: { pcr0Environment: 'staging' } }, 'pcr0Environment'],
      [{ settings: { additionalPcr0: ['00'] } }, 'additionalPcr0'],
      [{ settings: { requestTimeoutSeconds: 0 } }, 'requestTimeoutSeconds'],
      [{ settings: { streamIdleTimeoutSeconds: -1 } }, 'streamIdleTimeoutSeconds'],
      [{ settings: { allowedHosts: ['a b'] } }, 'allowedHosts'],
      [{ settings: { allowedOrigins: ['*'] } }, 'allowedOrigins'],
      [{ settings: { logLevel: 'loud' } }, 'logLevel'],
      [{ network: { httpsProxy: 'proxy:3128' } }, 'httpsProxy'],
      [{ network: { httpsProxy: 'http://user:hidden%@proxy.example:3128' } }, 'httpsProxy'],
      [{ network: { httpsProxy: 'http://user:%FF@proxy.example:3128' } }, 'httpsProxy'],
      [{ secrets: { apiKey: 'hidden word', accessKeys: [] } }, null],
      [{ secrets: { apiKey: null, accessKeys: ['hidden-word'] } }, null],
      [{ cacheNamespaceRoot: 'hidden-word' }, null],
      [{ cacheNamespaceRoot: '' }, null],
      [{ cacheNamespaceRoot: '  ' }, null],
    ];
    for (const [change, setting] of refusals) {
      const before = proxy.messages.items.length;
      proxy.send(startMessage(change));
      const failed = await proxy.message('failed', before);
      assert.deepEqual([failed.code, failed.setting], ['invalid_setting', setting], failed.message);
      assert.doesNotMatch(failed.message, /hidden|PROXY_/);
    }
    const { url } = await start();
    const before = proxy.messages.items.length;
    proxy.send({ type: 'update', settings: { requestTimeoutSeconds: 0, logLevel: 'error' } });
    assert.equal((await proxy.message('failed', before)).setting, 'requestTimeoutSeconds');
    const then = proxy.messages.items.length;
    proxy.send({ type: 'secrets', secrets: { apiKey: 'a b', accessKeys: [] } });
    assert.equal((await proxy.message('failed', then)).setting, null);
    assert.equal((await models(url)).status, 200);
    await proxy.logged('request', { path: '/v1/models' });
  });

  it('reports keys that it cannot use also before it is started', async () => {
    proxy.send({ type: 'secrets', secrets: { apiKey: 'a b', accessKeys: [] } });
    const { code, setting } = await proxy.message('failed');
    assert.deepEqual([code, setting], ['invalid_setting', null]);
    assert.equal((await models((await start()).url)).status, 200);
  });

  it('reports a taken port, and can be started on another one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    proxy.send(startMessage({ settings: { backendUrl: enclave.url, port } }));
    const { code, setting, message } = await proxy.message('failed');
    assert.deepEqual([code, setting], ['port_taken', 'port']);
    assert.match(message, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is taken: .*sealedProxy\\.port`));
    other.close();
    assert.equal((await models((await start()).url)).status, 200);
  });

  it('reports that it cannot listen on an address of another computer', async () => {
    proxy.send(startMessage({ settings: { backendUrl: enclave.url, port: 0, host: '192.0.2.1' } }));
    assert.equal((await proxy.message('failed')).code, 'cannot_listen');
  });

  it('refuses unknown messages and a second start, and goes on', async () => {
    const { url } = await start();
    const messages: unknown[] = [
      ...[
        'start',
        7,
        null,
        [],
        {},
        { type: 'restart' },
        { type: 'secrets' },
        { type: 'update', settings: { port: 'x' } },
      ],
      { type: 'update', settings: { surprise: true } },
      { type: 'secrets', secrets: { apiKey: 1, accessKeys: [] } },
      startMessage(),
    ];
    for (const message of messages) {
      const before = proxy.messages.items.length;
      proxy.child.send(message as object);
      assert.equal((await proxy.message('failed', before)).code, 'invalid_message', JSON.stringify(message));
    }
    assert.equal((await models(url)).status, 200);
  });

  it('ignores the variables of its environment', async () => {
    const other = scope.hosted({ env: { PROXY_PORT: 'x', PROXY_HOST: '0.0.0.0', PROXY_LOG_LEVEL: 'loud' } });
    other.send(startMessage());
    assert.match((await other.message('ready')).url, /^http:\/\/127\.0\.0\.1:/);
  });

  it('stops on request: a stream finishes, then it exits with 0', async () => {
    const { url, port } = await start();
    const idle = await RawConnection.open(port);
    const stream = await openResponse(url, { body: chatBody('/repeat 10', { stream: true }) });
    proxy.send({ type: 'stop' });
    assert.equal((await readResponse(stream)).broken, false);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    assert.equal(await idle.end(), 'closed');
  });

  it('stops at once on a second request, or before it was started', async () => {
    const { url } = await start();
    const stream = await openResponse(url, { body: chatBody('/stall 1', { stream: true }) });
    const reading = readResponse(stream);
    proxy.send({ type: 'stop' });
    proxy.send({ type: 'stop' });
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    assert.equal((await reading).broken, true);
    const unstarted = scope.hosted();
    unstarted.send({ type: 'stop' });
    assert.deepEqual(await unstarted.exitAtOnce(), OK);
  });

  it('stops at once on a request right behind the start, without waiting for it', async () => {
    proxy.send(startMessage());
    proxy.send({ type: 'stop' });
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    assert.deepEqual(proxy.messages.items, []);
  });

  it('exits when its host closes the channel, even with a running stream', async () => {
    const { url } = await start();
    const stream = await openResponse(url, { body: chatBody('/stall 1', { stream: true }) });
    const reading = readResponse(stream);
    const { end } = await enclave.journal.request(0);
    proxy.child.disconnect();
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    assert.equal((await reading).broken, true);
    assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    itWithSignals(`lets a stream finish on ${signal}, which Ctrl-C sends to the host and to it alike`, async () => {
      const { url } = await start();
      const stream = await openResponse(url, { body: chatBody('/repeat 10', { stream: true }) });
      proxy.child.kill(signal);
      assert.equal((await readResponse(stream)).broken, false);
      assert.deepEqual(await proxy.exitAtOnce(), OK);
    });

    itWithSignals(
      `takes ${signal} and a stop by message for one request, and stops at once on a second ${signal}`,
      async () => {
        const { url, port } = await start();
        const idle = await RawConnection.open(port);
        const reading = readResponse(await openResponse(url, { body: chatBody('/stall 1', { stream: true }) }));
        const stream = await openResponse(url, { body: chatBody('/repeat 30', { stream: true }) });
        proxy.send({ type: 'stop' });
        proxy.child.kill(signal);
        await idle.end();
        assert.equal((await readResponse(stream)).broken, false);
        assert.equal(proxy.child.exitCode, null);
        proxy.child.kill(signal);
        assert.deepEqual(await proxy.exitAtOnce(), OK);
        assert.equal((await reading).broken, true);
      },
    );
  }
});

describe('IpcHost: its host is killed', () => {
  const scope = perTest();

  it('exits at once', async () => {
    const enclave = await scope.enclave();
    const host = scope.host(enclave.url);
    const line = await host.stdout.find('the proxy of the host', (text) => text.startsWith('ready '));
    const url = line.replace('ready ', '');
    const stream = await openResponse(url, { body: chatBody('/stall 1', { stream: true }), key: 'dev-own' });
    const reading = readResponse(stream);
    const { end } = await enclave.journal.request(0);
    host.child.kill('SIGKILL');
    await host.exitAtOnce(); // its output is also the proxy's: it ends with both of them
    assert.equal((await reading).broken, true);
    assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
  });
});
