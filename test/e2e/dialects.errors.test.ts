// Every error that a client of a dialect can get has the dialect's form, wherever it comes from.
import assert from 'node:assert/strict';
import { answerBytes } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { DIALECTS_UNDER_TEST, assertDialectError } from '../support/e2e/dialects.ts';
import { openRequest, openResponse, readResponse, responseTo, sendRequest } from '../support/e2e/httpClient.ts';
import type { RequestOptions } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';

const MIB = 1024 * 1024;
const OWN_KEY = 'dev-own-key-of-a-client';

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`An error of the ${dialect.name} dialect`, () => {
    const scope = perSuite();
    const served = serve(scope);

    const send = (content: string, options: RequestOptions = {}, fields = {}) =>
      sendRequest(served.proxy.url, { path: dialect.replyPath, body: dialect.body(content, fields), ...options });
    const fails = async (status: number, response: ReturnType<typeof sendRequest>) =>
      assertDialectError(dialect, await response, status);

    for (const [name, options, status, message] of [
      ['a foreign host', { headers: { host: 'example.com' } }, 403, /Host header/],
      ['a foreign origin', { headers: { origin: 'https://example.com' } }, 403, /Web pages/],
      ['a wrong method', { method: 'GET' }, 405, /^This path supports POST\./],
      [
        'an unknown path',
        { path: dialect.replyPath + '/x' },
        404,
        /The base URL that you set in the client must end with/,
      ],
      ['no key', { key: null }, 401, /has no API key/],
      ['an unknown access key', { key: `sealed-${'x'.repeat(43)}` }, 401, /does not know this access key/],
      ['a body that is not JSON', { body: '{' }, 400, /not valid JSON/],
      ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 415, /compressed/],
    ] as const) {
      it(`answers ${name} without a contact to the chat route`, async () => {
        const before = served.enclave.journal.requests.length;
        assert.match(await fails(status, send('Hello', options)), message);
        const later = served.enclave.journal.requests.slice(before);
        assert.deepEqual(
          later.filter(({ target }) => target !== '/v1/models'),
          [],
        );
      });
    }

    it('answers an announced body of more than 32 MiB before it arrives', async () => {
      const request = openRequest(served.proxy.url, {
        path: dialect.replyPath,
        headers: { 'content-length': String(32 * MIB + 1) },
      });
      const response = responseTo(request);
      request.flushHeaders();
      assert.match(assertDialectError(dialect, await readResponse(await response), 413), /larger than 32 MiB\. Send/);
      request.destroy();
    });

    it('answers a chunked body of more than 32 MiB', async () => {
      const request = openRequest(served.proxy.url, { path: dialect.replyPath });
      const response = responseTo(request);
      for (let sent = 0; sent <= 32 * MIB; sent += MIB) request.write(Buffer.alloc(MIB, ' '));
      request.end();
      assertDialectError(dialect, await readResponse(await response), 413);
    });

    it('lists the models for a name that the backend does not offer', async () => {
      assert.match(
        await fails(404, send('Hello', {}, { model: 'gpt-9' })),
        /"gpt-9".*llama3-3-70b.*sealedProxy\.(?:messages|responses)Model/,
      );
    });

    it('accepts the key in the header x-api-key too', async () => {
      for (const key of [ACCESS_KEY, OWN_KEY]) {
        const response = await send('/repeat 1', { key: null, headers: { 'x-api-key': key } });
        assert.equal(response.status, 200);
      }
      await fails(401, send('Hello', { key: null, headers: { 'x-api-key': [ACCESS_KEY, ACCESS_KEY] } }));
    });

    it('says that the backend refused the key, on the first request and on later ones', async () => {
      assert.match(await fails(401, send('Hello', { key: 'not-a-dev-key' })), /invalid or was deleted/);
      assert.match(await fails(401, send('/status 401')), /invalid or was deleted/);
    });

    it('keeps the status, the sentence and retry-after of the backend', async () => {
      for (const status of [400, 429, 502, 503, 504]) {
        const response = await send(`/status ${status} 7`);
        const message = assertDialectError(dialect, response, status);
        assert.match(message, new RegExp(`The backend responds with ${status}`));
        assert.deepEqual(response.headers['retry-after'], ['7']);
      }
    });

    it('tells the client that the conversation is too long, as the code in a header says', async () => {
      const model = createModel({ paceMs: 0 });
      const type = { name: 'content-type', value: 'application/json' };
      const contract = { name: 'x-opensecret-error-contract', value: '1' };
      const code = { name: 'x-opensecret-error-code', value: 'upstream_context_limit' };
      const tooLong = await scope.enclave({
        handler: (request, response) => {
          if (request.target === '/v1/models') return model(request, response);
          const body = Buffer.from('{"status":422,"message":"Too much."}');
          answerBytes(response, { status: 422, headers: [type, contract, code] }, body);
          return Promise.resolve();
        },
      });
      const other = await scope.proxy(tooLong);
      const sent = sendRequest(other.url, { path: dialect.replyPath, body: dialect.body('Hello', { stream: true }) });
      const message = await fails(400, sent);
      if (dialect.name === 'messages') assert.equal(message, 'prompt is too long: Too much.');
      else assert.match((await sent).body.toString(), /"code":"context_length_exceeded"/);
    });

    it('has the same form without a stream when the answer breaks', async () => {
      await fails(502, send('/fail 3'));
      await fails(502, send('/broken 3'));
    });

    it('is sent in the dialect for a response that is not Chat Completions', async () => {
      const noJson = Buffer.from('<html>').toString('base64');
      for (const command of [`/raw text/html ${noJson}`, '/status 204', '/bytes 10']) {
        assert.match(await fails(502, send(command)), /backend/i);
      }
    });

    it('is sent to an allowed web page with its CORS headers', async () => {
      const headers = { origin: 'vscode-file://vscode-app' };
      for (const command of ['/status 429', '/repeat 1']) {
        const response = await send(command, { headers });
        assert.deepEqual(response.headers['access-control-allow-origin'], ['vscode-file://vscode-app']);
      }
    });

    it('says that the proxy is busy, with retry-after', async () => {
      const other = await scope.proxy(served.enclave);
      const path = dialect.replyPath;
      const open = [];
      for (let index = 0; index < 128; index++) {
        open.push(openResponse(other.url, { path, body: dialect.body('/stall 1', { stream: true }) }));
      }
      const streams = await Promise.all(open);
      const response = await sendRequest(other.url, { path, body: dialect.body('Hello') });
      assert.match(assertDialectError(dialect, response, 503), /too many requests in progress/);
      assert.deepEqual(response.headers['retry-after'], ['1']);
      for (const stream of streams) stream.destroy();
    });

    it('reports a backend that cannot be reached', async () => {
      const other = await scope.proxy({ url: 'http://127.0.0.1:9' });
      assertDialectError(
        dialect,
        await sendRequest(other.url, { path: dialect.replyPath, body: dialect.body('Hello') }),
        502,
      );
      await other.logged('request', { path: dialect.replyPath, status: 502 });
    });

    it('reports a timeout of the backend', async () => {
      const other = await scope.proxy(served.enclave, { PROXY_REQUEST_TIMEOUT_SECS: '0.5' });
      const response = await sendRequest(other.url, { path: dialect.replyPath, body: dialect.body('/hang') });
      assertDialectError(dialect, response, 504);
    });
  });
}
