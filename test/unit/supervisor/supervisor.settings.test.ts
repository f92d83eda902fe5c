// A supervisor with real proxies (dist/proxy.js) in front of a development enclave.
import assert from 'node:assert/strict';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { listModels, sendRequest } from '../../support/e2e/httpClient.ts';
import { EditorWindow, perTestWindow } from '../../support/editorWindow.ts';
import type { Running } from '../../support/editorWindow.ts';
import { RawServer } from '../../support/rawServer.ts';

describe('Supervisor.settingsChanged()', () => {
  const { scope, enclave, editor } = perTestWindow();

  it('starts on another port as soon as it is set', async () => {
    const foreign = await RawServer.listen();
    const port = await freePort();
    await editor().change({ port: foreign.port });
    const starting = editor().supervisor.start();
    (await foreign.next()).end('no\r\n');
    await starting;
    await editor().status('portTaken');
    await editor().change({ port });
    assert.equal((await editor().health('connected')).port, port);
    await foreign.close();
  });

  it('applies live settings in the same process', async () => {
    const { url } = await editor().start();
    const headers = { origin: 'https://app.example' };
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', headers })).status, 403);
    assert.equal(await editor().change({ allowedOrigins: ['https://app.example'] }), true);
    await editor().supervisor.secretsChanged(false); // earlier messages have arrived
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', headers })).status, 200);
    assert.equal(await editor().change({ requestTimeoutSeconds: 0.3 }), true);
    await editor().supervisor.secretsChanged(false);
    assert.equal((await sendRequest(url, { body: chatBody('/hang') })).status, 504);
    assert.deepEqual([editor().pids.length, editor().supervisor.status.kind], [1, 'running']);
  });

  it('applies live settings in a process that is still starting', async () => {
    const source = `process.on('message', ({ type }) => {
      process.stderr.write(type + '\\n');
      if (type === 'stop') process.disconnect();
    });`;
    const slow = EditorWindow.open(scope, { backendUrl: enclave().url, port: await freePort() }, { source });
    void slow.supervisor.start();
    await slow.log.find('its start', (type) => type === 'start');
    await slow.change({ logLevel: 'debug' });
    await slow.log.find('the change', (type) => type === 'update');
    assert.deepEqual([slow.pids.length, slow.supervisor.status.kind], [1, 'starting']);
  });

  it('starts another process for a changed port, backend, images or network', async () => {
    await editor().start();
    const other = await scope.enclave();
    const port = await freePort();
    for (const change of [{ port }, { backendUrl: other.url }, { additionalPcr0: ['ab'.repeat(48)] }]) {
      const count = editor().pids.length;
      await editor().change(change);
      const running = await editor().health('connected');
      assert.deepEqual([editor().pids.length, running.shared], [count + 1, false]);
    }
    assert.equal((editor().supervisor.status as Running).backendUrl, other.url);
    editor().network = { noProxy: 'example.com' };
    await editor().supervisor.settingsChanged();
    await editor().health('connected');
    assert.equal(editor().pids.length, 5);
    await editor().supervisor.settingsChanged();
    assert.equal(editor().pids.length, 5);
  });

  it('refuses an invalid value by the name of its setting, and keeps the last valid one', async () => {
    const { url } = await editor().start();
    for (const [change, setting] of [
      [{ port: 70_000 }, 'port'],
      [{ port: '14114' }, 'port'],
      [{ backendUrl: 'http://enclave().example' }, 'backendUrl'],
      [{ backendUrl: null }, 'backendUrl'],
      [{ requestTimeoutSeconds: 0 }, 'requestTimeoutSeconds'],
      [{ allowedOrigins: '*' }, 'allowedOrigins'],
      [{ additionalPcr0: ['00'] }, 'additionalPcr0'],
    ] as const) {
      const seen = editor().refused.items.length;
      assert.equal(await editor().change(change), false, JSON.stringify(change));
      assert.deepEqual(editor().refused.items.slice(seen), [setting]);
    }
    assert.equal((await listModels(url)).status, 200);
    assert.equal(editor().pids.length, 1);
    assert.equal(await editor().change({ logLevel: 'debug' }), true);
  });

  it('reports an invalid setting at the start, and starts as soon as it is valid', async () => {
    for (const [change, setting] of [
      [{ port: 70_000 }, 'port'],
      [{ backendUrl: 'http://enclave().example' }, 'backendUrl'],
      [{ backendUrl: 7 }, 'backendUrl'],
    ] as const) {
      const good = editor().settings;
      editor().settings = { ...good, ...(change as object) };
      await editor().supervisor.start();
      const failed = await editor().status('failed');
      assert.equal(failed.reason, 'setting');
      assert.match(failed.message, new RegExp(`^sealedProxy.${setting}[= ].*cannot be used: `));
      assert.equal(editor().refused.items.at(-1), setting);
      assert.equal(await editor().change(good), true);
      await editor().health('connected');
      await editor().supervisor.stop();
    }
  });
});
