// A new API key is tested by the real proxy at a real enclave, while another key is in use.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { testApiKey } from '../../src/chat/apiKeyTest.ts';
import { answerStatus } from '../../src/devEnclave/model/apiErrors.ts';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow } from '../support/editorWindow.ts';

const NEW_KEY = 'dev-a-new-key-that-nobody-has-stored';

describe('testApiKey()', () => {
  const scope = perTest();
  const model = createModel({ paceMs: 0 });
  let enclave: RunningEnclave;
  let editor: EditorWindow;
  /** Answers requests with the new key. */
  let respond: ApiHandler;
  let credentials: (string | null)[];

  beforeEach(async () => {
    respond = model;
    credentials = [];
    enclave = await scope.enclave({
      handler: (request, response) => {
        credentials.push(request.credential);
        return request.credential === NEW_KEY ? respond(request, response) : model(request, response);
      },
    });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: 0 });
    await editor.start();
    credentials = [];
  });

  const run = (signal = new AbortController().signal, limit?: number) =>
    editor.supervisor.withConnection((connection) => testApiKey(connection, NEW_KEY, signal, limit));
  const refuse =
    (status: number): ApiHandler =>
    (_request, response) => {
      answerStatus(response, status, `The key ${NEW_KEY} does not work`);
      return Promise.resolve();
    };

  it('accepts a key with which the backend lists its models, and does not use it for anything else', async () => {
    assert.deepEqual(await run(), { kind: 'accepted' });
    assert.deepEqual(credentials, [NEW_KEY]);
    await editor.supervisor.check();
    assert.deepEqual(credentials, [NEW_KEY, API_KEY]);
  });

  for (const status of [401, 403]) {
    it(`refuses a key that the backend refuses with status ${status}; the key in use stays`, async () => {
      respond = refuse(status);
      assert.deepEqual(await run(), { kind: 'refused' });
      await editor.supervisor.check();
      assert.equal((await editor.health('connected')).health.kind, 'connected');
    });
  }

  for (const [status, reason] of [
    [503, 'The backend is busy. Try again in a moment.'],
    [500, 'The backend responded with status 500.'],
    [200, 'The backend did not list its models.'],
  ] as const) {
    it(`does not judge a key by a response with status ${status}, and repeats no text of the backend`, async () => {
      respond = refuse(status);
      assert.deepEqual(await run(), { kind: 'unknown', reason });
    });
  }

  it('does not judge a key if the backend does not respond in time', async () => {
    respond = async (_request, response) => {
      await once(response.signal, 'abort');
    };
    assert.deepEqual(await run(undefined, 200), { kind: 'unknown', reason: 'The backend did not respond in time.' });
  });

  it('does not judge a key while the backend cannot be reached', async () => {
    await enclave.close();
    const reason = 'Sealed Proxy has no secure connection to the backend. Its status bar item shows the reason.';
    assert.deepEqual(await run(), { kind: 'unknown', reason });
  });

  it('ends when the user cancels', async () => {
    const abort = new AbortController();
    respond = async (_request, response) => {
      abort.abort();
      await once(response.signal, 'abort');
    };
    await assert.rejects(run(abort.signal), { name: 'AbortError' });
  });

  it('works in a window that uses the proxy of another one', async () => {
    const { port } = await editor.status('running');
    const second = EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault: editor.vault });
    await second.start();
    respond = refuse(401);
    const result = await second.supervisor.withConnection((connection) =>
      testApiKey(connection, NEW_KEY, new AbortController().signal),
    );
    assert.deepEqual(result, { kind: 'refused' });
  });

  afterEach(() => {
    assert.ok(editor.log.items.every((line) => !line.includes(NEW_KEY)));
  });
});
