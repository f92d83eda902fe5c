// A supervisor with real proxies (dist/proxy.js) in front of a development enclave.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { VERSION } from '../../../src/shared/version.ts';
import { listModels } from '../../support/e2e/httpClient.ts';
import { ACCESS_KEY, API_KEY } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { gone, makeVault, perTestWindow } from '../../support/editorWindow.ts';
import type { Running } from '../../support/editorWindow.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('Supervisor', () => {
  const { scope, enclave, editor } = perTestWindow();

  it('is off, then starting, checking and connected', async () => {
    assert.deepEqual(editor().supervisor.status, { kind: 'off' });
    const { url, port, version, shared, backendUrl, verified, establishedAt } = await editor().start();
    assert.deepEqual([url, port], [`http://127.0.0.1:${editor().settings.port}`, editor().settings.port]);
    assert.deepEqual([version, shared, backendUrl], [VERSION, false, enclave().url]);
    assert.deepEqual([verified?.kind, typeof establishedAt], ['development', 'number']);
    const kinds = editor().statuses.items.map((status) =>
      status.kind === 'running' ? status.health.kind : status.kind,
    );
    assert.deepEqual(
      kinds.filter((kind, index) => kind !== kinds[index - 1]),
      ['starting', 'checking', 'connected'],
    );
    assert.equal((await listModels(url)).status, 200);
  });

  it('serves on any free port if the port setting is 0', async () => {
    await editor().change({ port: 0 });
    const { url, port } = await editor().start();
    assert.ok(port > 0 && port !== editor().settings.port);
    assert.equal((await listModels(url)).status, 200);
  });

  it('runs without an API key and without any contact to the backend, and connects once it is set', async () => {
    const { port, connections } = await scope.recorder(enclave());
    await editor().change({ backendUrl: `http://127.0.0.1:${port}` });
    editor().vault.apiKey = null;
    await editor().supervisor.start();
    const { url } = await editor().health('noKey');
    assert.equal((await listModels(url)).status, 401);
    assert.equal(connections.items.length, 0);
    editor().vault.apiKey = API_KEY;
    await editor().supervisor.secretsChanged(true);
    assert.equal(editor().supervisor.status.kind, 'running');
    await editor().health('connected');
    editor().vault.apiKey = null;
    await editor().supervisor.secretsChanged(true);
    await editor().health('noKey');
  });

  it('reports that the backend refuses the API key, and connects with another', async () => {
    editor().vault.apiKey = 'wrong-key';
    await editor().supervisor.start();
    await editor().health('keyRejected');
    editor().vault.apiKey = API_KEY;
    await editor().supervisor.secretsChanged(true);
    await editor().health('connected');
  });

  it('starts one process for several calls of editor().start()', async () => {
    const { supervisor } = editor();
    await Promise.all([supervisor.start(), supervisor.start(), supervisor.start()]);
    await editor().health('connected');
    await supervisor.start();
    assert.equal(editor().pids.length, 1);
    assert.equal((supervisor.status as Running).shared, false);
  });

  it('ends in the state of the latest call', async () => {
    const { supervisor } = editor();
    await editor().start();
    const told = [supervisor.stop(), supervisor.start(), supervisor.restart(), supervisor.stop(), supervisor.start()];
    await Promise.all(told);
    const { shared } = await editor().health('connected');
    assert.equal(shared, false);
    await Promise.all([supervisor.restart(), supervisor.stop()]);
    await supervisor.stop();
    assert.deepEqual(supervisor.status, { kind: 'off' });
    for (const pid of editor().pids) await gone(pid);
  });

  it('can be stopped while it starts', async () => {
    const starting = editor().supervisor.start();
    await editor().status('starting');
    await editor().supervisor.stop();
    await withTimeout('the start', DEADLINE, starting);
    assert.deepEqual(editor().supervisor.status, { kind: 'off' });
    for (const pid of editor().pids) await gone(pid);
  });

  it('rejects a revoked access key at once, and accepts a new one', async () => {
    const { url } = await editor().start();
    const fresh = `sealed-${'n'.repeat(43)}`;
    editor().vault.accessKeys = [editor().vault.ownKey, fresh];
    await editor().supervisor.secretsChanged(false);
    assert.equal((await listModels(url)).status, 401);
    assert.equal((await listModels(url, fresh)).status, 200);
    assert.equal(editor().supervisor.status.kind, 'running');
  });

  it('reports which access key was used', async () => {
    const { url } = await editor().start();
    await listModels(url);
    const id = createHash('sha256').update(ACCESS_KEY).digest('hex').slice(0, 16);
    await editor().used.find('the id', (used) => used === id);
  });

  it('renews an expired session without a change of status', async () => {
    const { url } = await editor().start();
    const before = editor().statuses.items.length;
    enclave().dropSessions();
    assert.equal((await listModels(url)).status, 200);
    await editor().supervisor.secretsChanged(false); // earlier messages have arrived
    for (const status of editor().statuses.items.slice(before)) {
      assert.ok(status.kind === 'running' && status.health.kind === 'connected', JSON.stringify(status));
    }
  });

  it('writes no key to the log', async () => {
    await editor().change({ logLevel: 'trace' });
    const { url } = await editor().start();
    await listModels(url);
    await editor().supervisor.stop();
    await gone(editor().pid);
    const { apiKey, ownKey, ownership, cacheNamespaceRoot } = editor().vault;
    assert.ok(editor().log.items.length > 1);
    const secrets = { ownKey, ownership, cacheNamespaceRoot, ACCESS_KEY, apiKey: String(apiKey) };
    assertNoSecretLeaks(secrets, editor().log.items.join('\n'), 'the log');
    assert.notEqual(makeVault().ownKey, ownKey);
  });
});
