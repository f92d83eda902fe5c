// A supervisor with real proxies (dist/proxy.js) in front of a development enclave.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { bindPort } from '../../support/boundPort.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { listModels, sendRequest } from '../../support/e2e/httpClient.ts';
import { ACCESS_KEY } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { perTestWindow } from '../../support/editorWindow.ts';
import { RawServer } from '../../support/rawServer.ts';
import { eventually } from '../../support/withTimeout.ts';

describe('Supervisor, when something fails', () => {
  const { scope, enclave, editor } = perTestWindow();

  it('restarts the proxy when it is killed', async () => {
    const { url } = await editor().start();
    const { pid } = editor();
    const before = editor().statuses.items.length;
    mock.timers.enable({ apis: ['setTimeout'] });
    process.kill(pid, 'SIGKILL');
    await editor().status('restarting', before);
    mock.timers.tick(1000);
    mock.timers.reset();
    await editor().health('connected', before);
    assert.notEqual(editor().pid, pid);
    assert.equal((await listModels(url)).status, 200);
  });

  it('sends nothing but a challenge to a foreign program, and reports that the port is taken', async () => {
    const foreign = await RawServer.listen();
    scope.onClose(() => foreign.close());
    await editor().change({ port: foreign.port });
    const starting = editor().supervisor.start();
    const connection = await foreign.next();
    const text = await connection.takeHead();
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"status":"ok"}');
    await starting;
    assert.deepEqual(editor().supervisor.status, { kind: 'portTaken', port: foreign.port, by: 'program' });
    assert.doesNotMatch(text, /authorization|bearer|sealed-[A-Za-z0-9_-]{43}/i);
    const { apiKey, ownKey, ownership } = editor().vault;
    assertNoSecretLeaks(
      { ownKey, ownership, ACCESS_KEY, apiKey: String(apiKey) },
      text + connection.received,
      'the probe',
    );
    assert.deepEqual([foreign.connections.length, editor().pids.length], [1, 0]);
  });

  it('starts on a port that was bound and not listened on once it is free', async () => {
    const { port, release } = await bindPort(scope);
    await editor().change({ port });
    mock.timers.enable({ apis: ['setTimeout'] });
    await editor().supervisor.start();
    assert.deepEqual(editor().supervisor.status, { kind: 'portTaken', port, by: 'silent' });
    assert.equal(editor().pids.length, 1);
    await release();
    const before = editor().statuses.items.length;
    mock.timers.tick(15_000);
    await eventually('the start after a pause', () => {
      mock.timers.tick(1000);
      return editor().statuses.items.length > before;
    });
    assert.equal(editor().statuses.items[before]?.kind, 'starting');
    mock.timers.reset();
    await editor().health('connected');
    assert.equal(editor().pids.length, 2);
  });

  it('fails if the secrets cannot be read', async () => {
    const { vault } = editor();
    Object.defineProperty(vault, 'apiKey', {
      enumerable: true,
      get: () => {
        throw new Error('The keyring is locked');
      },
    });
    await editor().supervisor.start();
    const failed = await editor().status('failed');
    assert.match(failed.message, /The keyring is locked/);
  });

  it('reports an unreachable backend, and its return with the next response', async () => {
    const { url } = await editor().start();
    await enclave().close();
    assert.equal((await listModels(url)).status, 502);
    await editor().supervisor.check();
    const { health } = await editor().health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'network');
    await scope.enclave({ port: enclave().port });
    assert.equal((await listModels(url)).status, 200);
    const back = await editor().health('connected');
    assert.equal(back.verified?.kind, 'development');
  });

  it('checks at once when a client’s request fails, or the backend refuses its API key', async () => {
    const { url } = await editor().start();
    const before = editor().statuses.items.length;
    await enclave().close();
    assert.equal((await listModels(url)).status, 502);
    await editor().health('unreachable', before);
    const later = editor().statuses.items.length;
    const back = await scope.enclave({ port: enclave().port });
    assert.equal((await listModels(url)).status, 200);
    await editor().health('connected', later);

    const asked = () => back.journal.requests.filter(({ target }) => target === '/v1/models').length;
    const before401 = [editor().statuses.items.length, asked()] as const;
    assert.equal((await sendRequest(url, { body: chatBody('/status 401') })).status, 401);
    await editor().health('connected', before401[0]);
    assert.equal(asked(), before401[1] + 1);
  });

  it('reports a failed attestation as such, and not as a network error', async () => {
    enclave().setFaults('wrong-nonce');
    await editor().supervisor.start();
    const { health, verified } = await editor().health('unreachable');
    assert.ok(health.kind === 'unreachable' && health.cause === 'attestation');
    assert.equal(verified, null);
    const asked = enclave().journal.handshakes;
    await editor().supervisor.secretsChanged(false); // earlier messages have arrived
    assert.ok(enclave().journal.handshakes - asked <= 1, 'it does not retry continuously');
  });
});
