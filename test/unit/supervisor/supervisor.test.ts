// One window with a real proxy: dist/proxy.js as its child, and the development enclave behind it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { mock } from 'node:test';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { ask, head, readAnswer } from '../../support/e2e/ask.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { RawConnection } from '../../support/e2e/rawHttp.ts';
import { timed } from '../../support/e2e/stopwatch.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../../support/e2e/scope.ts';
import { RawServer } from '../../support/rawServer.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';
import { EditorWindow, gone, isAlive, makeVault } from '../../support/editorWindow.ts';
import type { Running } from '../../support/editorWindow.ts';
import { listen } from '../../support/fakeProxy.ts';

const models = (url: string, key = ACCESS_KEY) => ask(url, { method: 'GET', path: '/v1/models', key });

describe('The supervisor of one window', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let editor: EditorWindow;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
  });

  const start = async (): Promise<Running> => {
    await editor.supervisor.start();
    return editor.health('connected');
  };
  const aStream = (url: string) => head(url, { body: chatBody('/repeat 60', { stream: true }) });

  /** A module of this text in the place of the proxy. */
  const openFake = async (source: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-fake-'));
    const module = join(folder, 'fake.cjs');
    writeFileSync(module, source);
    const opened = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() }, { module });
    scope.onClose(() => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    });
    return opened;
  };

  it('is off at first, then starting, running, checking and connected', async () => {
    assert.deepEqual(editor.supervisor.status, { kind: 'off' });
    const { url, port, version, shared, backendUrl, verified, establishedAt } = await start();
    assert.deepEqual([url, port], [`http://127.0.0.1:${editor.settings.port}`, editor.settings.port]);
    assert.deepEqual([version, shared, backendUrl], [VERSION, false, enclave.url]);
    assert.deepEqual([verified?.kind, typeof establishedAt], ['development', 'number']);
    const kinds = editor.statuses.items.map((status) => (status.kind === 'running' ? status.health.kind : status.kind));
    assert.deepEqual(
      kinds.filter((kind, index) => kind !== kinds[index - 1]),
      ['starting', 'checking', 'connected'],
    );
    assert.equal((await models(url)).status, 200);
  });

  it('serves on any free port where that is wanted', async () => {
    await editor.change({ port: 0 });
    const { url, port } = await start();
    assert.ok(port > 0 && port !== editor.settings.port);
    assert.equal((await models(url)).status, 200);
  });

  it('runs without an API key, says so, and is connected once there is one', async () => {
    editor.vault.apiKey = null;
    await editor.supervisor.start();
    const { url } = await editor.health('noKey');
    assert.equal((await models(url)).status, 401);
    assert.equal(enclave.journal.requests.length, 0);
    editor.vault.apiKey = API_KEY;
    await editor.supervisor.secretsChanged(true);
    assert.equal(editor.supervisor.status.kind, 'running');
    await editor.health('connected');
    editor.vault.apiKey = null;
    await editor.supervisor.secretsChanged(true);
    await editor.health('noKey');
  });

  it('says that the backend refuses the key, and is connected with another', async () => {
    editor.vault.apiKey = 'wrong-key';
    await editor.supervisor.start();
    await editor.health('keyRejected');
    editor.vault.apiKey = API_KEY;
    await editor.supervisor.secretsChanged(true);
    await editor.health('connected');
  });

  it('starts once, however often it is told to', async () => {
    const { supervisor } = editor;
    await Promise.all([supervisor.start(), supervisor.start(), supervisor.start()]);
    await editor.health('connected');
    await supervisor.start();
    assert.equal(editor.pids.length, 1);
    assert.equal((supervisor.status as Running).shared, false);
  });

  it('is in the end what it was told last', async () => {
    const { supervisor } = editor;
    await start();
    const told = [supervisor.stop(), supervisor.start(), supervisor.restart(), supervisor.stop(), supervisor.start()];
    await Promise.all(told);
    const { shared } = await editor.health('connected');
    assert.equal(shared, false);
    await Promise.all([supervisor.restart(), supervisor.stop()]);
    await supervisor.stop();
    assert.deepEqual(supervisor.status, { kind: 'off' });
    for (const pid of editor.pids) await gone(pid);
  });

  it('is stopped while it starts', async () => {
    const starting = editor.supervisor.start();
    await editor.status('starting');
    await editor.supervisor.stop();
    await withTimeout('the start', DEADLINE, starting);
    assert.deepEqual(editor.supervisor.status, { kind: 'off' });
    for (const pid of editor.pids) await gone(pid);
  });

  it('stops a revoked key at once, and takes a new one', async () => {
    const { url } = await start();
    const fresh = `sealed-${'n'.repeat(43)}`;
    editor.vault.accessKeys = [editor.vault.ownKey, fresh];
    await editor.supervisor.secretsChanged(false);
    assert.equal((await models(url)).status, 401);
    assert.equal((await models(url, fresh)).status, 200);
    assert.equal(editor.supervisor.status.kind, 'running');
  });

  it('tells which access key was used', async () => {
    const { url } = await start();
    await models(url);
    const id = createHash('sha256').update(ACCESS_KEY).digest('hex').slice(0, 16);
    await editor.used.find('the id', (used) => used === id);
  });

  it('starts the proxy again when it is killed', async () => {
    const { url } = await start();
    const { pid } = editor;
    const before = editor.statuses.items.length;
    process.kill(pid, 'SIGKILL');
    const { at } = await editor.status('restarting', before);
    assert.ok(at - Date.now() <= 1000 && at - Date.now() > 0);
    await editor.health('connected', before);
    assert.notEqual(editor.pid, pid);
    assert.equal((await models(url)).status, 200);
  });

  it('gives up after five crashes, says so once, and starts when a person says so', async () => {
    const crashing = await openFake('process.exit(1)');
    mock.timers.enable({ apis: ['setTimeout'] });
    const delays: number[] = [];
    try {
      void crashing.supervisor.start();
      for (let count = 0; count < 4; count++) {
        const seen = crashing.statuses.items.length;
        const accepts = (status: { kind: string }) => status.kind === 'restarting';
        const status = await crashing.statuses.find(`crash ${count + 1}`, accepts, count === 0 ? 0 : seen);
        assert.ok(status.kind === 'restarting');
        delays.push(Math.ceil((status.at - Date.now()) / 1000));
        mock.timers.tick(8000);
      }
      const failed = await crashing.status('failed');
      assert.equal(failed.reason, 'crashes');
      mock.timers.tick(600_000);
    } finally {
      mock.timers.reset();
    }
    assert.deepEqual(delays, [1, 2, 4, 8]);
    assert.equal(crashing.pids.length, 5);
    assert.equal(crashing.statuses.items.filter(({ kind }) => kind === 'failed').length, 1);
    const before = crashing.statuses.items.length;
    await crashing.supervisor.start();
    await crashing.status('restarting', before);
  });

  it('calls a start that takes over ten seconds failed, and leaves nothing of it', async () => {
    const hanging = await openFake(`process.on('message', () => undefined); process.on('disconnect', () => undefined);
      setInterval(() => undefined, 1000); process.stderr.write('up\\n')`);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      void hanging.supervisor.start();
      await hanging.log.find('its start', (line) => line === 'up');
      mock.timers.tick(9999);
      assert.equal(hanging.supervisor.status.kind, 'starting');
      mock.timers.tick(1);
    } finally {
      mock.timers.reset();
    }
    const failed = await hanging.status('failed', 0);
    assert.equal(failed.reason, 'slowStart');
    await gone(hanging.pid);
    assert.equal(hanging.statuses.items.length, 2);
  });

  it('sends nothing but its question to a stranger on the port, and says who is there', async () => {
    const stranger = await RawServer.listen();
    scope.onClose(() => stranger.close());
    await editor.change({ port: stranger.port });
    const starting = editor.supervisor.start();
    const connection = await stranger.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"status":"ok"}');
    await starting;
    assert.deepEqual(editor.supervisor.status, { kind: 'portTaken', port: stranger.port, unresponsive: false });
    assert.doesNotMatch(text, /authorization|bearer|sealed-[A-Za-z0-9_-]{43}/i);
    const { apiKey, ownKey, ownership } = editor.vault;
    assertNoSecretLeaks(
      { ownKey, ownership, ACCESS_KEY, apiKey: String(apiKey) },
      text + connection.received,
      'the question',
    );
    assert.deepEqual([stranger.connections.length, editor.pids.length], [1, 0]);
  });

  it('starts on another port as soon as that is set', async () => {
    const stranger = await RawServer.listen();
    const port = await freePort();
    await editor.change({ port: stranger.port });
    const starting = editor.supervisor.start();
    (await stranger.next()).end('no\r\n');
    await starting;
    await editor.status('portTaken');
    await editor.change({ port });
    assert.equal((await editor.health('connected')).port, port);
    await stranger.close();
  });

  it('applies live what can be, in the same process', async () => {
    const { url } = await start();
    const headers = { origin: 'https://app.example' };
    assert.equal((await ask(url, { method: 'GET', path: '/v1/models', headers })).status, 403);
    assert.equal(await editor.change({ allowedOrigins: ['https://app.example'], requestTimeoutSeconds: 0.3 }), true);
    await editor.supervisor.secretsChanged(false); // what was sent before has arrived
    assert.equal((await ask(url, { method: 'GET', path: '/v1/models', headers })).status, 200);
    assert.equal((await ask(url, { body: chatBody('/hang') })).status, 504);
    assert.deepEqual([editor.pids.length, editor.supervisor.status.kind], [1, 'running']);
  });

  it('applies the rest by another process: port, backend, images and network', async () => {
    await start();
    const other = await scope.enclave();
    const port = await freePort();
    for (const change of [{ port }, { backendUrl: other.url }, { additionalPcr0: ['ab'.repeat(48)] }]) {
      const count = editor.pids.length;
      await editor.change(change);
      const running = await editor.health('connected');
      assert.deepEqual([editor.pids.length, running.shared], [count + 1, false]);
    }
    assert.equal(editor.supervisor.status.kind === 'running' && editor.supervisor.status.backendUrl, other.url);
    editor.network = { noProxy: 'example.com' };
    await editor.supervisor.settingsChanged();
    await editor.health('connected');
    assert.equal(editor.pids.length, 5);
    await editor.supervisor.settingsChanged();
    assert.equal(editor.pids.length, 5);
  });

  it('refuses a bad value by the name of its setting, and keeps the last good one', async () => {
    const { url } = await start();
    for (const [change, setting] of [
      [{ port: 70_000 }, 'port'],
      [{ port: '14114' }, 'port'],
      [{ backendUrl: 'http://enclave.example' }, 'backendUrl'],
      [{ backendUrl: null }, 'backendUrl'],
      [{ requestTimeoutSeconds: 0 }, 'requestTimeoutSeconds'],
      [{ allowedOrigins: '*' }, 'allowedOrigins'],
      [{ additionalPcr0: ['00'] }, 'additionalPcr0'],
    ] as const) {
      const seen = editor.refused.items.length;
      assert.equal(await editor.change(change), false, JSON.stringify(change));
      assert.deepEqual(editor.refused.items.slice(seen), [setting]);
    }
    assert.equal((await models(url)).status, 200);
    assert.equal(editor.pids.length, 1);
    assert.equal(await editor.change({ logLevel: 'debug' }), true);
  });

  it('says at a start which setting is bad, and starts as soon as it is good', async () => {
    for (const [change, setting] of [
      [{ port: 70_000 }, 'port'],
      [{ backendUrl: 'http://enclave.example' }, 'backendUrl'],
      [{ backendUrl: 7 }, 'backendUrl'],
    ] as const) {
      const good = editor.settings;
      editor.settings = { ...good, ...(change as object) };
      await editor.supervisor.start();
      const failed = await editor.status('failed');
      assert.equal(failed.reason, 'setting');
      assert.match(failed.message, new RegExp(`^${setting}[=:]`));
      assert.equal(editor.refused.items.at(-1), setting);
      assert.equal(await editor.change(good), true);
      await editor.health('connected');
      await editor.supervisor.stop();
    }
  });

  it('says that it failed where the secrets cannot be had', async () => {
    const { vault } = editor;
    Object.defineProperty(vault, 'apiKey', {
      enumerable: true,
      get: () => {
        throw new Error('The keyring is locked');
      },
    });
    await editor.supervisor.start();
    const failed = await editor.status('failed');
    assert.match(failed.message, /The keyring is locked/);
  });

  it('finishes a stream over a restart, while the next one already serves', async () => {
    const { url } = await start();
    const { pid } = editor;
    const stream = await aStream(url);
    let ended = false;
    const reading = readAnswer(stream).finally(() => (ended = true));
    const before = editor.statuses.items.length;
    await editor.supervisor.restart();
    await editor.health('connected', before);
    assert.equal((await models(url)).status, 200);
    assert.deepEqual([ended, isAlive(pid)], [false, true]);
    assert.equal((await reading).broken, false);
    await gone(pid);
    assert.equal(isAlive(editor.pid), true);
  });

  it('stops: the port is free, a stream finishes, and then there is no process', async () => {
    const { url, port } = await start();
    const reading = readAnswer(await aStream(url));
    await editor.supervisor.stop();
    assert.deepEqual(editor.supervisor.status, { kind: 'off' });
    await assert.rejects(ask(`http://127.0.0.1:${port}`), { code: 'ECONNREFUSED' });
    assert.equal((await reading).broken, false);
    await gone(editor.pid);
  });

  it('ends with all its processes within five seconds, also those that still finish a stream', async () => {
    const { url } = await start();
    const stalled = [await head(url, { body: chatBody('/stall 1', { stream: true }) })];
    await editor.supervisor.restart();
    await editor.health('connected');
    stalled.push(await head(url, { body: chatBody('/stall 1', { stream: true }) }));
    const readings = stalled.map((stream) => readAnswer(stream, 10_000));
    const said = editor.statuses.items.length;
    const { milliseconds } = await timed(() => editor.supervisor.end());
    assert.ok(milliseconds < 5000, `${milliseconds} ms`);
    assert.deepEqual(editor.pids.map(isAlive), [false, false]);
    for (const reading of readings) assert.equal((await reading).broken, true);
    assert.equal(editor.statuses.items.length, said);
  });

  it('ends at once where nothing runs but a question of its own to a backend that does not answer', async () => {
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const hanging = await scope.enclave({
      handler: () => {
        ask();
        return new Promise(() => undefined);
      },
    });
    await editor.change({ backendUrl: hanging.url });
    await editor.supervisor.start();
    await withTimeout('the question, at the backend', DEADLINE, asked);
    const { milliseconds } = await timed(() => editor.supervisor.end());
    assert.ok(milliseconds < 1500, `${milliseconds} ms`);
    assert.equal(isAlive(editor.pid), false);
  });

  it('says that the backend is gone, and within moments of the next answer that it is back', async () => {
    const { url } = await start();
    await enclave.close();
    assert.equal((await models(url)).status, 502);
    await editor.supervisor.check();
    const { health } = await editor.health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'network');
    await scope.enclave({ port: enclave.port });
    assert.equal((await models(url)).status, 200);
    const back = await editor.health('connected');
    assert.equal(back.verified?.kind, 'development');
  });

  it('says at once that the backend is gone when a client meets it, and looks when a client’s key is refused', async () => {
    const { url } = await start();
    const before = editor.statuses.items.length;
    await enclave.close();
    assert.equal((await models(url)).status, 502);
    await editor.health('unreachable', before);
    const later = editor.statuses.items.length;
    const back = await scope.enclave({ port: enclave.port });
    assert.equal((await models(url)).status, 200);
    await editor.health('connected', later);

    const asked = () => back.journal.requests.filter(({ target }) => target === '/v1/models').length;
    const before401 = [editor.statuses.items.length, asked()] as const;
    assert.equal((await ask(url, { body: chatBody('/status 401') })).status, 401);
    await editor.health('connected', before401[0]);
    assert.equal(asked(), before401[1] + 1);
  });

  it('starts the proxy again when it hangs, and does not call it connected meanwhile', async () => {
    await start();
    const { pid } = editor;
    const before = editor.statuses.items.length;
    process.kill(pid, 'SIGSTOP');
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    try {
      await editor.supervisor.check();
      await editor.health('checking', before);
      mock.timers.tick(30_000);
      await editor.supervisor.check();
      await editor.status('restarting', before);
    } finally {
      mock.timers.reset();
    }
    await editor.health('connected', before);
    assert.notEqual(editor.pid, pid);
  });

  it('revokes a key also for what an ended process still serves', async () => {
    const { port } = await start();
    const connection = await RawConnection.open(port);
    const ask = (method: string, path: string, body: Buffer = Buffer.alloc(0)) => {
      const fields = `Host: localhost\r\nAuthorization: Bearer ${ACCESS_KEY}\r\ncontent-length: ${body.length}`;
      connection.send(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n\r\n`), body]));
    };
    ask('POST', '/v1/chat/completions', Buffer.from(chatBody('/repeat 60', { stream: true })));
    await connection.until('data: ');
    await editor.supervisor.restart();
    editor.vault.accessKeys = [editor.vault.ownKey];
    await editor.supervisor.secretsChanged(false);
    ask('GET', '/v1/models');
    assert.equal((await connection.answer()).status, 200);
    assert.equal((await connection.answer()).status, 401);
    connection.destroy();
  });

  it('stops within five seconds, also where a stream has no end', async () => {
    const { url } = await start();
    const reading = readAnswer(await head(url, { body: chatBody('/stall 1', { stream: true }) }), 10_000);
    await editor.supervisor.stop();
    await gone(editor.pid, 5000);
    assert.equal((await reading).broken, true);
  });

  it('starts nothing after its end', async () => {
    await editor.supervisor.end();
    await editor.supervisor.start();
    assert.deepEqual([editor.pids.length, editor.supervisor.status.kind], [0, 'off']);
  });

  it('does not believe a proxy that says it is ready where something else answers', async () => {
    const stranger = await listen(createServer((_req, res) => res.end('{"status":"ok"}')));
    scope.onClose(() => stranger.close());
    const ready = JSON.stringify({ type: 'ready', url: '', port: stranger.port, version: VERSION });
    const lying = await openFake(`process.on('message', () => process.send(${ready}))`);
    await lying.supervisor.start();
    const failed = await lying.status('failed', 0);
    assert.match(failed.message, /another program responds on its port/);
  });

  it('counts as a crash an end at the very moment when it was ready', async () => {
    const port = await freePort();
    const ready = JSON.stringify({ type: 'ready', url: '', port, version: VERSION });
    const ends = 'setTimeout(() => process.exit(1), 200)';
    const dying = await openFake(`process.on('message', () => { process.send(${ready}); ${ends} })`);
    void dying.supervisor.start();
    await dying.status('restarting', 0);
    assert.ok(dying.statuses.items.every(({ kind }) => kind === 'starting' || kind === 'restarting'));
  });

  it('says that an attestation was refused, never that it is the network', async () => {
    enclave.setFaults('wrong-nonce');
    await editor.supervisor.start();
    const { health, verified } = await editor.health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'attestation');
    assert.equal(verified, null);
    const asked = enclave.journal.handshakes;
    await editor.supervisor.secretsChanged(false); // what was sent before has arrived
    assert.ok(enclave.journal.handshakes - asked <= 1, 'it does not hammer the backend');
  });

  it('renews a stale session without a word', async () => {
    const { url } = await start();
    const before = editor.statuses.items.length;
    enclave.dropSessions();
    assert.equal((await models(url)).status, 200);
    await editor.supervisor.secretsChanged(false); // what was sent before has arrived
    for (const status of editor.statuses.items.slice(before)) {
      assert.ok(status.kind === 'running' && status.health.kind === 'connected', JSON.stringify(status));
    }
  });

  it('writes no key into the log', async () => {
    await editor.change({ logLevel: 'trace' });
    const { url } = await start();
    await models(url);
    await editor.supervisor.stop();
    await gone(editor.pid);
    const { apiKey, ownKey, ownership, cacheNamespaceRoot } = editor.vault;
    assert.ok(editor.log.items.length > 1);
    const secrets = { ownKey, ownership, cacheNamespaceRoot, ACCESS_KEY, apiKey: String(apiKey) };
    assertNoSecretLeaks(secrets, editor.log.items.join('\n'), 'the log');
    assert.notEqual(makeVault().ownKey, ownKey);
  });
});
