// A supervisor with real proxies (dist/proxy.js) in front of a development enclave.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mock } from 'node:test';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { bindPort } from '../../support/boundPort.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { listModels, sendRequest } from '../../support/e2e/httpClient.ts';
import { ACCESS_KEY, perTest } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { EditorWindow, gone } from '../../support/editorWindow.ts';
import { listen } from '../../support/fakeProxy.ts';
import { RawServer } from '../../support/rawServer.ts';
import { eventually } from '../../support/withTimeout.ts';

describe('Supervisor, when something fails', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let editor: EditorWindow;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
  });

  /** Simulates the timers. The queue has the delay of each next look at the port, once the previous one is over. */
  const simulateLooks = () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { setTimeout: simulated } = globalThis;
    const looks = new EventQueue<number>();
    globalThis.setTimeout = Object.assign((act: () => void, delay = 0) => {
      if (delay >= 15_000) looks.add(delay);
      return simulated(act, delay);
    }, simulated);
    return looks;
  };

  /** A window that runs this code in place of the proxy. */
  const openFake = async (source: string) =>
    EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() }, { source });

  it('restarts the proxy when it is killed', async () => {
    const { url } = await editor.start();
    const { pid } = editor;
    const before = editor.statuses.items.length;
    process.kill(pid, 'SIGKILL');
    const { at } = await editor.status('restarting', before);
    assert.ok(at - Date.now() <= 1000 && at - Date.now() > 0);
    await editor.health('connected', before);
    assert.notEqual(editor.pid, pid);
    assert.equal((await listModels(url)).status, 200);
  });

  it('gives up after five crashes, reports that once, and starts again when asked', async () => {
    const crashing = await openFake('process.exit(1)');
    mock.timers.enable({ apis: ['setTimeout'] });
    const delays: number[] = [];
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
    mock.timers.reset();
    assert.deepEqual(delays, [1, 2, 4, 8]);
    assert.equal(crashing.pids.length, 5);
    assert.equal(crashing.statuses.items.filter(({ kind }) => kind === 'failed').length, 1);
    const before = crashing.statuses.items.length;
    await crashing.supervisor.start();
    await crashing.status('restarting', before);
  });

  it('fails a start that takes over ten seconds, and leaves no process', async () => {
    const hanging = await openFake(`process.on('message', () => undefined); process.on('disconnect', () => undefined);
      setInterval(() => undefined, 1000); process.stderr.write('up\\n')`);
    mock.timers.enable({ apis: ['setTimeout'] });
    void hanging.supervisor.start();
    await hanging.log.find('its start', (line) => line === 'up');
    mock.timers.tick(9999);
    assert.equal(hanging.supervisor.status.kind, 'starting');
    mock.timers.tick(1);
    mock.timers.reset();
    const failed = await hanging.status('failed', 0);
    assert.equal(failed.reason, 'slowStart');
    await gone(hanging.pid);
    assert.equal(hanging.statuses.items.length, 2);
  });

  it('sends nothing but a challenge to a foreign program, and reports that the port is taken', async () => {
    const foreign = await RawServer.listen();
    scope.onClose(() => foreign.close());
    await editor.change({ port: foreign.port });
    const starting = editor.supervisor.start();
    const connection = await foreign.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"status":"ok"}');
    await starting;
    assert.deepEqual(editor.supervisor.status, { kind: 'portTaken', port: foreign.port, by: 'program' });
    assert.doesNotMatch(text, /authorization|bearer|sealed-[A-Za-z0-9_-]{43}/i);
    const { apiKey, ownKey, ownership } = editor.vault;
    assertNoSecretLeaks(
      { ownKey, ownership, ACCESS_KEY, apiKey: String(apiKey) },
      text + connection.received,
      'the probe',
    );
    assert.deepEqual([foreign.connections.length, editor.pids.length], [1, 0]);
  });

  it('starts no process again and again for a port that is bound and not listened on, and starts once it is free', async () => {
    const { port, release } = await bindPort(scope);
    await editor.change({ port });
    const looks = simulateLooks();
    await editor.supervisor.start();
    assert.deepEqual(editor.supervisor.status, { kind: 'portTaken', port, by: 'silent' });
    const look = async (count: number) => {
      mock.timers.tick(await looks.find(`look ${count}`, () => true, count));
    };
    for (let count = 0; count < 40; count++) await look(count);
    await looks.find('the next look', () => true, 40);
    assert.equal(editor.pids.length, 1);
    assert.equal(editor.supervisor.status.kind, 'portTaken');
    await release();
    const before = editor.statuses.items.length;
    await look(40);
    await eventually('the start after a pause', () => {
      mock.timers.tick(1000);
      return editor.statuses.items.length > before;
    });
    assert.equal(editor.statuses.items[before]?.kind, 'starting');
    mock.timers.reset();
    await editor.health('connected');
    assert.equal(editor.pids.length, 2);
  });

  it('fails if the secrets cannot be read', async () => {
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

  it('reports an unreachable backend, and its return with the next response', async () => {
    const { url } = await editor.start();
    await enclave.close();
    assert.equal((await listModels(url)).status, 502);
    await editor.supervisor.check();
    const { health } = await editor.health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'network');
    await scope.enclave({ port: enclave.port });
    assert.equal((await listModels(url)).status, 200);
    const back = await editor.health('connected');
    assert.equal(back.verified?.kind, 'development');
  });

  it('checks at once when a client’s request fails, or the backend refuses its API key', async () => {
    const { url } = await editor.start();
    const before = editor.statuses.items.length;
    await enclave.close();
    assert.equal((await listModels(url)).status, 502);
    await editor.health('unreachable', before);
    const later = editor.statuses.items.length;
    const back = await scope.enclave({ port: enclave.port });
    assert.equal((await listModels(url)).status, 200);
    await editor.health('connected', later);

    const asked = () => back.journal.requests.filter(({ target }) => target === '/v1/models').length;
    const before401 = [editor.statuses.items.length, asked()] as const;
    assert.equal((await sendRequest(url, { body: chatBody('/status 401') })).status, 401);
    await editor.health('connected', before401[0]);
    assert.equal(asked(), before401[1] + 1);
  });

  it('restarts a proxy that hangs, and does not show it as connected meanwhile', async () => {
    await editor.start();
    const { pid } = editor;
    const before = editor.statuses.items.length;
    process.kill(pid, 'SIGSTOP');
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    await editor.supervisor.check();
    await editor.health('checking', before);
    mock.timers.tick(30_000);
    await editor.supervisor.check();
    await editor.status('restarting', before);
    mock.timers.reset();
    await editor.health('connected', before);
    assert.notEqual(editor.pid, pid);
  });

  it('does not trust a process that is ready while another program responds on its port', async () => {
    const foreign = await listen(createServer((_req, res) => res.end('{"status":"ok"}')));
    scope.onClose(() => foreign.close());
    const ready = JSON.stringify({ type: 'ready', url: '', port: foreign.port, version: VERSION });
    const deceived = await openFake(`process.on('message', () => process.send(${ready}))`);
    await deceived.supervisor.start();
    const failed = await deceived.status('failed', 0);
    assert.match(failed.message, /another program responds on its port/);
  });

  it('treats an end right after the start as a crash', async () => {
    const port = await freePort();
    const ready = JSON.stringify({ type: 'ready', url: '', port, version: VERSION });
    const ends = 'setTimeout(() => process.exit(1), 200)';
    const dying = await openFake(`process.on('message', () => { process.send(${ready}); ${ends} })`);
    void dying.supervisor.start();
    await dying.status('restarting', 0);
    assert.ok(dying.statuses.items.every(({ kind }) => kind === 'starting' || kind === 'restarting'));
  });

  it('reports a failed attestation as such, and not as a network error', async () => {
    enclave.setFaults('wrong-nonce');
    await editor.supervisor.start();
    const { health, verified } = await editor.health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'attestation');
    assert.equal(verified, null);
    const asked = enclave.journal.handshakes;
    await editor.supervisor.secretsChanged(false); // earlier messages have arrived
    assert.ok(enclave.journal.handshakes - asked <= 1, 'it does not retry continuously');
  });
});
