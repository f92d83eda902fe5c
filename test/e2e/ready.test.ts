// GET /ready: only a proxy that can serve is ready, and the reason is named if it is not.
import assert from 'node:assert/strict';
import { sendRequest } from '../support/e2e/httpClient.ts';
import type { RequestOptions } from '../support/e2e/httpClient.ts';
import { runToEnd } from '../support/e2e/process.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';
import { FakeClock } from '../support/fakeClock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function ask(url: string, options: RequestOptions = {}) {
  return sendRequest(url, { method: 'GET', path: '/ready', key: null, ...options });
}

async function assertReady(url: string): Promise<void> {
  const response = await ask(url);
  assert.deepEqual([response.status, response.json()], [200, { status: 'ready' }]);
}

async function assertNotReady(url: string, reason: string, sentence: RegExp): Promise<void> {
  const response = await ask(url);
  const { message, ...rest } = response.json() as { message: string };
  assert.deepEqual([response.status, rest], [503, { status: 'not_ready', reason }]);
  assert.match(message, sentence);
}

describe('GET /ready', () => {
  const scope = perTest();
  let clock: FakeClock;

  const startInternal = (backend: { readonly url: string }): Promise<InternalProxy> => {
    clock = new FakeClock();
    return scope.internalProxy(backend, {}, { internals: { clock } });
  };
  const logged = async ({ log }: InternalProxy, name: string, count = 1) => {
    let seen = 0;
    await log.find(`${count} log lines ${name}`, ({ event }) => event === name && ++seen === count);
  };

  it('is 200 with a session, without a key, also for HEAD', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    await proxy.logged('session');
    await assertReady(proxy.url);
    const head = await ask(proxy.url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.body.length], [200, 0]);
  });

  it('checks the Host header, and serves no other method', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    assert.equal((await ask(proxy.url, { headers: { host: 'rebound.example' } })).status, 403);
    const post = await ask(proxy.url, { method: 'POST' });
    assert.deepEqual([post.status, post.headers['allow']], [405, ['GET, HEAD, OPTIONS']]);
  });

  it('is logged at debug only', async () => {
    for (const [level, expected] of [
      ['info', []],
      ['debug', ['/ready']],
    ] as const) {
      const proxy = await scope.proxy(await scope.enclave(), { PROXY_LOG_LEVEL: level });
      await ask(proxy.url);
      await sendRequest(proxy.url, { method: 'PUT', path: '/health' }); // a mistake, which has a line at `info`
      await proxy.logged('request', { path: '/health' });
      const paths = proxy.log.filter(({ event }) => event === 'request').map((line) => line['path']);
      assert.deepEqual(
        paths.filter((path) => path !== '/health'),
        expected,
      );
    }
  });

  it('is 503 while the first handshake runs', async () => {
    const proxy = await scope.proxy(await scope.enclave({ faults: 'handshake-hang' }));
    await assertNotReady(proxy.url, 'starting', /^The first session .* is being made\.$/);
  });

  it('is 503 with the reason after a failed handshake', async () => {
    const gone = await scope.enclave();
    await gone.close();
    for (const [backend, reason, sentence] of [
      [gone, 'backend_unreachable', /It cannot be reached\. \(ECONNREFUSED\)$/],
      [
        await scope.enclave({ faults: 'handshake-500' }),
        'backend_unreachable',
        /cannot accept connections right now\.$/,
      ],
      [await scope.enclave({ faults: 'handshake-redirect' }), 'not_an_enclave', /is not a working enclave\.$/],
      [
        await scope.enclave({ faults: 'wrong-nonce' }),
        'attestation_failed',
        /could not be verified\. \(nonce_mismatch\)$/,
      ],
    ] as const) {
      const proxy = await scope.proxy(backend);
      await proxy.logged('handshake_failed');
      await assertNotReady(proxy.url, reason, sentence);
      await assertNotReady(proxy.url, reason, sentence);
      assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/health' })).status, 200);
    }
  });

  it('makes the proxy ready again without a request, and tries no sooner than 15 seconds after a failure', async () => {
    const enclave = await scope.enclave({ faults: 'handshake-500' });
    const proxy = await startInternal(enclave);
    await logged(proxy, 'handshake_failed');
    enclave.setFaults('');
    const handshakes = enclave.journal.handshakes;
    await clock.advance(15 * SECOND - 1);
    await assertNotReady(proxy.url, 'backend_unreachable', /./);
    assert.equal(enclave.journal.handshakes, handshakes);
    await clock.advance(1);
    await assertNotReady(proxy.url, 'backend_unreachable', /./);
    await logged(proxy, 'session');
    await assertReady(proxy.url);
  });

  it('stays 200 during a renewal and after a failed one, until the session expires', async () => {
    const enclave = await scope.enclave();
    const proxy = await startInternal(enclave);
    await logged(proxy, 'session');
    enclave.setFaults('handshake-500');
    await clock.advance(59 * MINUTE);
    await logged(proxy, 'handshake_failed');
    await assertReady(proxy.url);
    await clock.advance(MINUTE);
    await assertNotReady(proxy.url, 'backend_unreachable', /./);
  });

  it('is 503 after the computer slept, until there is a new session', async () => {
    const proxy = await startInternal(await scope.enclave());
    await logged(proxy, 'session');
    await clock.advance(SECOND);
    clock.sleep(10 * MINUTE);
    await assertNotReady(proxy.url, 'reconnecting', /a new one is being made\.$/);
    await logged(proxy, 'session', 2);
    await assertReady(proxy.url);
  });

  it('is what --ready asks for', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave);
    await proxy.logged('session');
    const ready = await runToEnd(['--ready'], { PROXY_PORT: String(proxy.port) });
    assert.deepEqual(ready, { code: 0, stdout: '', stderr: '' });
    const failing = await scope.proxy(await scope.enclave({ faults: 'handshake-500' }));
    await failing.logged('handshake_failed');
    const { code, stdout, stderr } = await runToEnd(['--ready'], { PROXY_PORT: String(failing.port) });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^sealed-proxy: no ready proxy on 127\.0\.0\.1 port \d+: backend_unreachable: .*right now\.$/);
    const other = await runToEnd(['--ready'], { PROXY_PORT: String(enclave.port) });
    assert.match(other.stderr, /another program uses this port$/);
  });
});
