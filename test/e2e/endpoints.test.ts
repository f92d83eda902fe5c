// Section 4 of the specification, row by row, with curl.
import assert from 'node:assert/strict';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { VERSION } from '../../src/shared/version.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { exchangeRaw } from '../support/e2e/rawHttp.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { ACCESS_KEY, perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const HEALTH = `{"status":"ok","service":"sealed-proxy","version":"${VERSION}"}`;
const AUTHORIZED = ['-H', `Authorization: Bearer ${ACCESS_KEY}`];
const JSON_BODY = ['-H', 'Content-Type: application/json', '-d'];

describe('The endpoints', () => {
  const scope = perSuite();
  const model = recordedModel();
  let enclave: RunningEnclave;
  let proxy: ServerProcess;
  let url: string;

  before(async () => {
    enclave = await scope.enclave({ handler: model.handler });
    proxy = await scope.proxy(enclave);
    await proxy.logged('session');
    ({ url } = proxy);
  });

  /** The body of the latest response of the enclave. */
  const sent = () => Buffer.concat(model.responses.at(-1)?.chunks ?? []);

  it('POST /v1/chat/completions returns one JSON object', async () => {
    const response = await curl(...AUTHORIZED, ...JSON_BODY, chatBody('Hello'), `${url}/v1/chat/completions`);
    assert.equal(response.exitCode, 0);
    assert.equal(response.status, 200);
    assert.deepEqual(response.headers['content-type'], ['application/json']);
    assert.deepEqual(response.body, sent());
    const { choices } = response.json() as { choices: [{ message: object }] };
    assert.deepEqual(choices[0].message, { role: 'assistant', content: 'You said: Hello' });
  });

  it('POST /v1/chat/completions streams exactly the bytes that the enclave sent', async () => {
    for (const hook of ['Hello', '/ping 3', '/broken 2', '/burst 2000']) {
      const body = chatBody(hook, { stream: true, stream_options: { include_usage: true } });
      const response = await curl('-N', ...AUTHORIZED, ...JSON_BODY, body, `${url}/v1/chat/completions`);
      assert.equal(response.exitCode, 0);
      assert.equal(response.status, 200);
      assert.deepEqual(response.headers['content-type'], ['text/event-stream']);
      assert.deepEqual(response.headers['cache-control'], ['no-cache']);
      assert.ok(sent().length > 500);
      assert.ok(response.body.equals(sent()), hook);
    }
  });

  it('POST /v1/embeddings returns embeddings, also with the default model', async () => {
    for (const body of ['{"model":"nomic-embed-text","input":"Hello"}', '{"input":"Hello"}']) {
      const response = await curl(...AUTHORIZED, ...JSON_BODY, body, `${url}/v1/embeddings`);
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, sent());
      const { data, model: name } = response.json() as { data: [{ embedding: number[] }]; model: string };
      assert.equal(data[0].embedding.length, 768);
      assert.equal(name, 'nomic-embed-text');
    }
  });

  it('GET /v1/models returns the list of the backend', async () => {
    const response = await curl(...AUTHORIZED, `${url}/v1/models`);
    assert.equal(response.status, 200);
    assert.deepEqual(response.body, sent());
    assert.equal((response.json() as { object: string }).object, 'list');
  });

  it('GET /health and GET / report that the proxy is running, without a key', async () => {
    for (const path of ['/health', '/', '/health?from=somewhere']) {
      const response = await curl(url + path);
      assert.equal(response.status, 200);
      assert.equal(response.body.toString(), HEALTH);
      assert.deepEqual(response.headers['content-type'], ['application/json']);
      assert.deepEqual(response.headers['content-length'], [String(HEALTH.length)]);
    }
  });

  it('HEAD /health and HEAD / return the same headers without a body', async () => {
    for (const path of ['/health', '/']) {
      const response = await curl('--head', url + path);
      assert.equal(response.status, 200);
      assert.deepEqual(response.headers['content-length'], [String(HEALTH.length)]);
      assert.equal(response.bytesDownloaded, 0);
    }
  });

  it('GET /health succeeds while the backend is unreachable, and does not forward a key', async () => {
    const gone = await scope.enclave();
    const alone = await scope.proxy(gone);
    await gone.close();
    const response = await curl('-H', 'Authorization: Bearer sealed-unknown', `${alone.url}/health`);
    assert.equal(response.status, 200);
    assertError(await curl(...AUTHORIZED, `${alone.url}/v1/models`), backendError('backend_unreachable'));
  });

  it('no other path is served or forwarded', async () => {
    const index = enclave.journal.requests.length;
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/completions',
      '/v1/audio/speech',
      '/v1/images/generations',
      '/v1/files',
      '/v1/chat/completions/',
      '/v1//models',
      '/V1/models',
      '/health/',
      '/v1/chat%2Fcompletions',
      '/favicon.ico',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        assertError(await sendRequest(url, { method, path }), ERRORS.noSuchPath);
        assertError(await sendRequest(url, { method, path, key: null }), ERRORS.noSuchPath);
      }
    }
    assertError(await sendRequest(url, { path: '/v1/responses' }), ERRORS.responsesElsewhere);
    assert.equal(enclave.journal.requests.length, index);
  });

  it('GET and HEAD /v1/models/{model} return 404', async () => {
    const index = enclave.journal.requests.length;
    assertError(await curl(...AUTHORIZED, `${url}/v1/models/glm-5-2`), ERRORS.noSuchModelRoute);
    assertError(await curl(`${url}/v1/models/org/model`), ERRORS.noSuchModelRoute);
    assert.equal((await curl('--head', `${url}/v1/models/glm-5-2`)).status, 404);
    assert.equal(enclave.journal.requests.length, index);
  });

  it('a known path with another method returns 405 with the allowed methods', async () => {
    const index = enclave.journal.requests.length;
    const allowed: [string, string][] = [
      ['/health', 'GET, HEAD'],
      ['/', 'GET, HEAD'],
      ['/v1/models', 'GET'],
      ['/v1/chat/completions', 'POST'],
      ['/v1/embeddings', 'POST'],
    ];
    for (const [path, allow] of allowed) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        if (allow.split(', ').includes(method)) continue;
        const response = await sendRequest(url, { method, path });
        assertError(response, ERRORS.methodNotAllowed(allow));
        assert.deepEqual(response.headers['allow'], [`${allow}, OPTIONS`]);
      }
    }
    assert.equal((await curl('--head', ...AUTHORIZED, `${url}/v1/models`)).status, 405);
    assert.equal(enclave.journal.requests.length, index);
  });

  it('a tunnel is refused like any other method', async () => {
    const response = await exchangeRaw(proxy.port, 'CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: 127.0.0.1:443\r\n\r\n');
    assertError(response, ERRORS.noSuchPath);
  });

  it('the query string is forwarded', async () => {
    const query = '?api-version=2026-01-01&x=%C3%A9%20%2F&&y';
    await sendRequest(url, { path: `/v1/chat/completions${query}`, body: chatBody('Hello') });
    assert.equal(model.responses.at(-1)?.request.target, `/v1/chat/completions${query}`);
    await sendRequest(url, { method: 'GET', path: `/v1/models?limit=2` });
    assert.equal(model.responses.at(-1)?.request.target, '/v1/models?limit=2');
  });

  it('every status of the backend is returned unchanged, with its body', async () => {
    const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 451, 500, 501, 502, 503, 504, 529, 599];
    for (const status of statuses) {
      const response = await curl(
        ...AUTHORIZED,
        ...JSON_BODY,
        chatBody(`/status ${status}`),
        `${url}/v1/chat/completions`,
      );
      assert.equal(response.status, status);
      assert.deepEqual(response.body, sent());
      assert.ok(response.body.length > 0);
    }
    for (const status of [200, 201, 204, 205, 299, 302, 304]) {
      const response = await curl(
        ...AUTHORIZED,
        ...JSON_BODY,
        chatBody(`/status ${status}`),
        `${url}/v1/chat/completions`,
      );
      assert.deepEqual([response.exitCode, response.status, response.body.length], [0, status, 0]);
    }
  });
});
