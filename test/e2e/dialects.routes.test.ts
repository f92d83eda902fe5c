// The other routes of the dialects: models and token counts; and what the proxy records about requests.
import assert from 'node:assert/strict';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { MODEL, PLAIN_MODEL } from '../support/e2e/chat.ts';
import {
  DIALECTS_UNDER_TEST,
  anthropicClient,
  assertDialectError,
  chatRequest,
  responsesClient,
} from '../support/e2e/dialects.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, API_KEY, perSuite, serve } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`The ${dialect.name} dialect`, () => {
    const served = serve(perSuite(), { settings: { [dialect.modelVariable]: MODEL, PROXY_LOG_LEVEL: 'trace' } });

    it('counts tokens without a contact to the chat route', async () => {
      const count = async (content: string) => {
        const response = await sendRequest(served.proxy.url, { path: dialect.countPath, body: dialect.body(content) });
        assert.equal(response.status, 200, response.body.toString());
        assert.deepEqual(response.headers['x-sealed-proxy-estimate'], ['true']);
        return dialect.countOf(response.json());
      };
      const [short, long] = [await count('/repeat 5'), await count('word '.repeat(100_000))];
      assert.ok(short > 0 && long > 1000 * short);
      assert.ok(served.enclave.journal.requests.every(({ target }) => target === '/v1/models'));
    });

    it('lists the models and describes each one', async () => {
      const client = dialect.name === 'messages' ? anthropicClient(served.proxy) : responsesClient(served.proxy);
      const ids: string[] = [];
      for await (const { id } of client.models.list()) ids.push(id);
      assert.ok(ids.includes(MODEL) && ids.includes(PLAIN_MODEL));
      for (const id of ids) assert.equal((await client.models.retrieve(id)).id, id);
      const missing = await sendRequest(served.proxy.url, { method: 'GET', path: `${dialect.modelsPath}/gpt-9` });
      assert.match(assertDialectError(dialect, missing, 404), /llama3-3-70b/);
    });

    it('loads the list of models once for many requests', async () => {
      const lists = () => served.enclave.journal.requests.filter(({ target }) => target === '/v1/models').length;
      await dialect.ask(served.proxy, '/repeat 1');
      const before = lists();
      for (let index = 0; index < 5; index++) await dialect.ask(served.proxy, '/repeat 1');
      assert.equal(lists(), before);
    });

    it('replaces a model that the backend does not offer', async () => {
      assert.equal(await dialect.ask(served.proxy, '/repeat 2', { model: 'claude-or-gpt' }), 'word word ');
    });

    it('sends the cache namespace as for chat completions', async () => {
      const index = served.enclave.journal.requests.length;
      await dialect.ask(served.proxy, '/repeat 1');
      await sendRequest(served.proxy.url, {
        body: JSON.stringify({ model: PLAIN_MODEL, messages: [{ role: 'user', content: 'x' }] }),
      });
      const translated = await chatRequest(served.enclave, index);
      const relayed = served.enclave.journal.requests.at(-1);
      assert.notEqual(translated.cache_root_sha256, null);
      assert.deepEqual(
        [translated.cache_root_sha256, translated.credential],
        [relayed?.cache_root_sha256, relayed?.credential],
      );
    });

    it('logs the route, never the ID of a model, a key or a body', async () => {
      const start = served.proxy.stderr.items.length;
      const secrets = {
        'a prompt': 'questionable-word-in-a-question',
        'an API key in the path': 'dev-key-in-the-path-of-a-request',
        'the API key': API_KEY,
        'the access key': ACCESS_KEY,
        'a header': 'header-of-a-client-c0de',
      };
      const headers = { 'x-session': secrets['a header'] };
      await sendRequest(served.proxy.url, {
        path: dialect.replyPath,
        body: dialect.body(secrets['a prompt']),
        headers,
      });
      const path = `${dialect.modelsPath}/${secrets['an API key in the path']}`;
      await sendRequest(served.proxy.url, { method: 'GET', path, headers });
      await sendRequest(served.proxy.url, {
        path: `${dialect.replyPath}?${secrets['an API key in the path']}`,
        body: '{"x":1}',
      });
      const { bytesIn, bytesOut } = await served.proxy.logged(
        'request',
        { path: dialect.replyPath, status: 200 },
        start,
      );
      assert.equal(bytesIn, dialect.body(secrets['a prompt']).length);
      assert.ok(Number(bytesOut) > 100);
      await served.proxy.logged('request', { path: `${dialect.modelsPath}/{id}`, status: 404 }, start);
      await served.proxy.logged('request', { path: dialect.replyPath, status: 400 }, start);
      assertNoSecretLeaks(secrets, served.proxy.stderr.items.join('\n'), 'the log');
    });

    it('leaves its paths under /v1 unserved', async () => {
      for (const path of ['/v1/messages', '/v1/responses']) {
        const response = await sendRequest(served.proxy.url, { path, body: dialect.body('Hello') });
        assert.equal(response.status, 404);
      }
    });
  });
}

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`The list of models for the ${dialect.name} dialect, when the backend does not send it,`, () => {
    const scope = perSuite();
    let enclave: RunningEnclave;

    before(async () => {
      const model = createModel({ paceMs: 0 });
      const handler: ApiHandler = async (request, response) => {
        if (request.target === '/v1/models')
          await new Promise((resolve) => {
            response.signal.addEventListener('abort', resolve);
          });
        else await model(request, response);
      };
      enclave = await scope.enclave({ handler });
    });

    it('ends with the timeout of a request', async () => {
      const proxy = await scope.proxy(enclave, { PROXY_REQUEST_TIMEOUT_SECS: '0.5' });
      for (const path of [dialect.replyPath, dialect.countPath]) {
        assertDialectError(dialect, await sendRequest(proxy.url, { path, body: dialect.body('Hello') }), 504);
        await proxy.logged('request', { path, status: 504, end: 'timeout' });
      }
    });
  });
}

describe('Compaction of responses', () => {
  const scope = perSuite();

  it('is refused with a remedy', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    const [, responses] = DIALECTS_UNDER_TEST;
    const response = await sendRequest(proxy.url, { path: `${responses.replyPath}/compact`, body: '{}' });
    assert.match(assertDialectError(responses, response, 404), /does not serve compaction/);
    await proxy.logged('request', { path: `${responses.replyPath}/compact` });
  });
});
