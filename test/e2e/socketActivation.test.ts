// A socket of systemd in place of an address: it goes on listening while the proxy restarts.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { PROXY, RunningProcess, environment } from '../support/e2e/process.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { bindSocket, descriptorOf, listenOnPath, startWithSockets } from '../support/e2e/sharedSocket.ts';
import { TlsFolder } from '../support/tlsListeners.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

describe('A socket that systemd passes', () => {
  const scope = perTest();

  const bind = (address?: string) => {
    const socket = bindSocket(address);
    scope.onClose(() => {
      socket.close();
      return Promise.resolve();
    });
    return socket;
  };

  const settingsFor = async () => {
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    return { PROXY_BACKEND_URL: enclave.url, PROXY_API_KEY: API_KEY, PROXY_ACCESS_KEYS: ACCESS_KEY, PROXY_PORT: '1' };
  };

  const start = async (fd: number, env: Readonly<Record<string, string>>) => {
    const proxy = startWithSockets([fd], env);
    scope.onClose(() => proxy.kill());
    const line = await proxy.stdout.find('the first line', (text) => text.includes(' listening on '));
    return Object.assign(proxy, { url: line.replace(/^.* listening on /, '') });
  };

  itWithSignals(
    'is used in place of PROXY_HOST and PROXY_PORT, and its address counts for the Host header',
    async () => {
      const env = await settingsFor();
      const loopback = await start(bind().fd, { ...env, PROXY_HOST: '0.0.0.0' });
      assert.match(loopback.url, /^http:\/\/127\.0\.0\.1:\d{2,}$/);
      const statusFor = async (url: string, host: string) =>
        (await sendRequest(url, { method: 'GET', path: '/health', headers: { host } })).status;
      assert.deepEqual(
        [await statusFor(loopback.url, 'localhost'), await statusFor(loopback.url, '10.1.2.3')],
        [200, 403],
      );
      assert.deepEqual(
        loopback.log.filter(({ event }) => event === 'open_address'),
        [],
      );
      const opened = await start(bind('0.0.0.0').fd, env);
      const { note } = await opened.logged('open_address', { host: '0.0.0.0' });
      assert.match(String(note), /without encryption.* Set ListenStream= of the socket to 127\.0\.0\.1/);
      assert.equal(await statusFor(opened.url.replace('0.0.0.0', '127.0.0.1'), '10.1.2.3'), 200);
    },
  );

  for (const encrypted of [false, true]) {
    itWithSignals(`lets a restart refuse nobody${encrypted ? ', also with TLS' : ''}`, async () => {
      const folder = new TlsFolder();
      scope.onClose(() => {
        folder.remove();
        return Promise.resolve();
      });
      if (encrypted) folder.write();
      const env = { ...(await settingsFor()), ...(encrypted ? folder.settings : {}) };
      const options = () => (encrypted ? { agent: folder.agent() } : {});
      const socket = bind();
      let proxy = await start(socket.fd, env);
      const { url } = proxy;
      const isOver = new AbortController();
      const statuses: number[] = [];
      const client = async () => {
        while (!isOver.signal.aborted) {
          statuses.push((await sendRequest(url, { method: 'GET', path: '/v1/models', ...options() })).status);
        }
      };
      const clients = Promise.all(Array.from({ length: 12 }, client));
      for (let restart = 0; restart < 3; restart++) {
        const body = chatBody('/repeat 10', { stream: true });
        const stream = readResponse(await openResponse(url, { body, ...options() }));
        proxy.child.kill('SIGTERM');
        await proxy.logged('stopping');
        const waiting = sendRequest(url, { body: chatBody('Hello'), ...options() });
        const response = await stream;
        assert.equal(response.broken, false);
        assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
        assert.deepEqual(await proxy.exitAtOnce(), { code: 0, signal: null });
        proxy = await start(socket.fd, env);
        assert.equal(proxy.url, url);
        assert.equal((await waiting).status, 200);
      }
      isOver.abort();
      await withTimeout('the clients', DEADLINE, clients);
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.ok(statuses.length > 50, `${statuses.length} requests`);
    });
  }

  itWithSignals('comes from the real systemd-socket-activate too', async function () {
    if (spawnSync('systemd-socket-activate', ['--version']).status !== 0) this.skip();
    const port = await freePort();
    const env = await settingsFor();
    const names = Object.keys(env).flatMap((name) => ['-E', name]);
    const args = ['-l', `127.0.0.1:${port}`, ...names, process.execPath, PROXY];
    const process_ = new RunningProcess(
      spawn('systemd-socket-activate', args, { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    scope.onClose(() => process_.kill());
    await process_.stderr.find('the socket', (line) => line.includes('Listening on'));
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await sendRequest(url, { body: chatBody('Hello') })).status, 200);
    await process_.stdout.find('the first line', (text) => text.endsWith(` listening on ${url}`));
  });

  itWithSignals('that cannot be used is refused with the remedy', async () => {
    const env = await settingsFor();
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-socket-'));
    const server = await listenOnPath(join(folder, 'socket'));
    const file = openSync(join(folder, 'file'), 'w');
    try {
      for (const [fds, message] of [
        [[bind().fd, bind().fd], /the proxy got several sockets \(LISTEN_FDS=2\): the \.socket unit needs exactly one/],
        [[descriptorOf(server)], /the proxy got a socket of the file system: .* ListenStream=, with a port/],
        [[file], /the proxy cannot listen on the socket that it got \(E[A-Z]+\): /],
      ] as const) {
        const proxy = startWithSockets(fds, env);
        scope.onClose(() => proxy.kill());
        assert.deepEqual(await proxy.exit(), { code: 2, signal: null });
        assert.match(proxy.stderr.items.join('\n'), message);
      }
    } finally {
      const closed = once(server, 'close');
      server.close();
      await closed;
      rmSync(folder, { recursive: true });
    }
  });
});
