// A supervisor with real proxies (dist/proxy.js) in front of a development enclave.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { GRACE } from '../../../src/proxy/hosts/ipcHost.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { listModels, openResponse, readResponse, sendRequest } from '../../support/e2e/httpClient.ts';
import { RawConnection } from '../../support/e2e/rawHttp.ts';
import { ACCESS_KEY } from '../../support/e2e/scope.ts';
import { timed } from '../../support/e2e/stopwatch.ts';
import { EditorWindow, gone, isAlive, perTestWindow } from '../../support/editorWindow.ts';
import { ScriptedModel, typed } from '../../support/vscode/scriptedModel.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('Supervisor.stop(), restart() and end()', () => {
  let model: ScriptedModel;
  const { scope, enclave, editor } = perTestWindow(() => {
    model = new ScriptedModel();
    return model.handler;
  });

  /** The request that the tests answer themselves. */
  const talk = typed('Talk');
  const begun = async () => {
    const chat = await model.nextChat('Talk');
    chat.say('One word.');
    return chat;
  };
  /** A stream that ends when the test wants. */
  const beginStream = async (url: string) => {
    const response = openResponse(url, { body: talk });
    return { chat: await begun(), reading: readResponse(await response) };
  };

  it('finishes a stream after a restart, while the new process already serves', async () => {
    const { url } = await editor().start();
    const { pid } = editor();
    const { chat, reading } = await beginStream(url);
    const before = editor().statuses.items.length;
    await editor().supervisor.restart();
    await editor().health('connected', before);
    assert.equal((await listModels(url)).status, 200);
    assert.equal(isAlive(pid), true);
    chat.finish(1, 2);
    assert.equal((await reading).broken, false);
    await gone(pid);
    assert.equal(isAlive(editor().pid), true);
  });

  it('stops: frees the port, finishes a stream, and then leaves no process', async () => {
    const { url, port } = await editor().start();
    const { chat, reading } = await beginStream(url);
    await editor().supervisor.stop();
    assert.deepEqual(editor().supervisor.status, { kind: 'off' });
    await assert.rejects(sendRequest(`http://127.0.0.1:${port}`), { code: 'ECONNREFUSED' });
    chat.finish(1, 2);
    assert.equal((await reading).broken, false);
    await gone(editor().pid);
  });

  it('ends all processes after four seconds, also those that finish a stream', async () => {
    const { url } = await editor().start();
    const stalled = [await openResponse(url, { body: chatBody('/stall 1', { stream: true }) })];
    await editor().supervisor.restart();
    await editor().health('connected');
    stalled.push(await openResponse(url, { body: chatBody('/stall 1', { stream: true }) }));
    const readings = stalled.map((stream) => readResponse(stream));
    const published = editor().statuses.items.length;
    mock.timers.enable({ apis: ['setTimeout'] });
    const { milliseconds } = await timed(() => {
      const ending = editor().supervisor.end();
      mock.timers.tick(4000);
      return ending;
    });
    assert.ok(milliseconds < GRACE, `${milliseconds} ms`);
    assert.deepEqual(editor().pids.map(isAlive), [false, false]);
    for (const reading of readings) assert.equal((await reading).broken, true);
    assert.equal(editor().statuses.items.length, published);
  });

  it('ends at once if only its own check of an unresponsive backend is running', async () => {
    mock.timers.enable({ apis: ['setTimeout'] }); // it is not killed
    let noteCheck: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (noteCheck = resolve));
    const hanging = await scope.enclave({
      handler: () => {
        noteCheck();
        return new Promise(() => undefined);
      },
    });
    await editor().change({ backendUrl: hanging.url });
    await editor().supervisor.start();
    await withTimeout('the check, at the backend', DEADLINE, asked);
    const { milliseconds } = await timed(() => editor().supervisor.end());
    assert.ok(milliseconds < GRACE, `${milliseconds} ms`);
    assert.equal(isAlive(editor().pid), false);
  });

  it('revokes an access key also in a process that only finishes its responses', async () => {
    const { port } = await editor().start();
    const connection = await RawConnection.open(port);
    const ask = (method: string, path: string, body: Buffer = Buffer.alloc(0)) => {
      const fields = `Host: localhost\r\nAuthorization: Bearer ${ACCESS_KEY}\r\ncontent-length: ${body.length}`;
      connection.send(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n\r\n`), body]));
    };
    ask('POST', '/v1/chat/completions', Buffer.from(talk));
    const chat = await begun();
    await connection.until('data: ');
    await editor().supervisor.restart();
    editor().vault.accessKeys = [editor().vault.ownKey];
    await editor().supervisor.secretsChanged(false);
    ask('GET', '/v1/models');
    chat.finish(1, 2);
    assert.equal((await connection.readResponse()).status, 200);
    assert.equal((await connection.readResponse()).status, 401);
    connection.destroy();
  });

  it('stops after four seconds, also with an endless stream', async () => {
    const { url } = await editor().start();
    const reading = readResponse(await openResponse(url, { body: chatBody('/stall 1', { stream: true }) }));
    mock.timers.enable({ apis: ['setTimeout'] });
    await editor().supervisor.stop();
    mock.timers.tick(4000);
    const { milliseconds } = await timed(() => gone(editor().pid));
    assert.ok(milliseconds < GRACE, `${milliseconds} ms`);
    assert.equal((await reading).broken, true);
  });

  it('publishes nothing after end(), no matter at which step of a start it comes', async () => {
    for (let steps = 0; steps < 12; steps++) {
      const ending = EditorWindow.open(scope, { backendUrl: enclave().url, port: 0 });
      void ending.supervisor.start();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      const published = ending.statuses.items.length;
      await ending.supervisor.end();
      assert.equal(ending.statuses.items.length, published, `after ${steps} steps`);
    }
  });

  it('starts nothing after end()', async () => {
    await editor().supervisor.end();
    await editor().supervisor.start();
    assert.deepEqual([editor().pids.length, editor().supervisor.status.kind], [0, 'off']);
  });
});
