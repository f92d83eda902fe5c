// Web pages may use the proxy only if their origin is allowed, which CORS headers tell their browser.
import assert from 'node:assert/strict';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import type { ClientResponse, RequestOptions } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import type { ExpectedError } from '../support/e2e/proxyErrors.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const WEBVIEW = 'vscode-webview://1a2b3c4d';

/** Checks the CORS headers of every response to an allowed page. */
function assertCors(response: ClientResponse, origin: string): void {
  assert.deepEqual(response.headers['access-control-allow-origin'], [origin]);
  assert.deepEqual(response.headers['access-control-expose-headers'], ['*']);
  assert.deepEqual(response.headers['vary'], ['Origin']);
  assert.equal(response.headers['access-control-allow-credentials'], undefined);
}

describe('The Origin header', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let proxy: ServerProcess;
  let tuned: ServerProcess;

  before(async () => {
    enclave = await scope.enclave();
    proxy = await scope.proxy(enclave);
    tuned = await scope.proxy(enclave, {
      PROXY_ALLOWED_ORIGINS: 'https://app.example, http://localhost:5173,obsidian://*',
    });
  });

  const sendFrom = (origin: string | string[], request: RequestOptions = {}, target = proxy) =>
    sendRequest(target.url, { ...request, headers: { ...request.headers, origin } });
  const chatFrom = (origin: string, content: string) => sendFrom(origin, { body: chatBody(content) });

  it('of the editor’s own pages is allowed by CORS headers', async () => {
    for (const origin of [WEBVIEW, 'vscode-file://vscode-app']) {
      const response = await chatFrom(origin, 'Hello');
      assert.equal(response.status, 200);
      assertCors(response, origin);
      assertCors(await sendFrom(origin, { method: 'GET', path: '/health', key: null }), origin);
    }
  });

  const foreign = [
    'https://evil.example',
    'http://localhost:3000',
    'http://127.0.0.1',
    'null',
    '',
    'vscode-webviews://1a2b3c4d',
    'https://vscode-webview://x',
    'vscode-webview',
    'vscode-webview://',
    'vscode-webview://*',
    'vscode-webview://a https://evil.example',
    'https://evil.example vscode-webview://a',
    'file://',
  ];
  for (const origin of foreign) {
    it(`is refused when it is ${JSON.stringify(origin)}, even with a key`, async () => {
      const index = enclave.journal.requests.length;
      for (const path of ['/v1/chat/completions', '/health', '/nothing']) {
        const response = await sendFrom(origin, { path, body: chatBody('Hello') });
        assertError(response, ERRORS.foreignOrigin);
        assert.equal(response.headers['access-control-allow-origin'], undefined);
      }
      assertError(await sendFrom(origin, { method: 'OPTIONS' }), ERRORS.foreignOrigin);
      assert.equal(enclave.journal.requests.length, index);
    });
  }

  it('is refused when it is sent twice', async () => {
    assertError(await sendFrom([WEBVIEW, WEBVIEW], { body: chatBody('Hello') }), ERRORS.foreignOrigin);
  });

  it('can be allowed by a setting, which replaces the default', async () => {
    const path = '/health';
    for (const origin of ['https://app.example', 'https://APP.example', 'http://localhost:5173', 'obsidian://vault']) {
      const response = await sendFrom(origin, { method: 'GET', path }, tuned);
      assert.equal(response.status, 200, origin);
      assertCors(response, origin);
    }
    for (const origin of [
      WEBVIEW,
      'http://app.example',
      'https://app.example:8443',
      'https://sub.app.example',
      'https://app.example.evil.example',
      'http://localhost:51730',
    ]) {
      assertError(await sendFrom(origin, { method: 'GET', path }, tuned), ERRORS.foreignOrigin);
    }
  });

  it('that is allowed gets a response to its preflight, without a key', async () => {
    const preflight = {
      method: 'OPTIONS',
      key: null,
      headers: {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-os',
      },
    };
    const routes = [
      ['/v1/chat/completions', 'POST'],
      ['/v1/embeddings', 'POST'],
      ['/v1/models', 'GET'],
      ['/health', 'GET, HEAD'],
    ] as const;
    for (const [path, methods] of routes) {
      const response = await sendFrom(WEBVIEW, { ...preflight, path });
      assert.equal(response.status, 204);
      assert.equal(response.body.length, 0);
      assertCors(response, WEBVIEW);
      assert.deepEqual(response.headers['access-control-allow-methods'], [methods]);
      assert.deepEqual(response.headers['access-control-allow-headers'], ['authorization,content-type,x-stainless-os']);
      assert.deepEqual(response.headers['access-control-max-age'], ['600']);
      assert.equal(response.headers['access-control-allow-private-network'], undefined);
    }
    const headers = { ...preflight.headers, 'access-control-request-private-network': 'true' };
    const response = await sendFrom(WEBVIEW, { ...preflight, headers });
    assert.deepEqual(response.headers['access-control-allow-private-network'], ['true']);
    assertError(await sendFrom(WEBVIEW, { ...preflight, path: '/nothing' }), ERRORS.noSuchPath);
  });

  it('turns OPTIONS into a preflight', async () => {
    const response = await sendRequest(proxy.url, { method: 'OPTIONS' });
    assert.deepEqual([response.status, response.headers['allow']], [204, ['POST, OPTIONS']]);
    for (const name of Object.keys(response.headers)) assert.doesNotMatch(name, /^access-control/);
  });

  it('that is allowed can read every error as well', async () => {
    const failures: [RequestOptions, ExpectedError][] = [
      [{ key: null }, ERRORS.noKey],
      [{ key: 'sealed-unknown' }, ERRORS.unknownAccessKey],
      [{ path: '/v1/completions' }, ERRORS.noSuchPath],
      [{ method: 'PUT' }, ERRORS.methodNotAllowed('POST')],
      [{ path: `/v1/chat/completions?${'x'.repeat(17_000)}` }, ERRORS.targetTooLong],
      [
        {
          headers: Object.fromEntries(
            Array.from({ length: 70 }, (_, n) => [`x-${n}`, '']).map(([a, b]) => [a, b]),
          ) as Record<string, string>,
        },
        ERRORS.headersTooLarge,
      ],
      [{ headers: { 'content-length': '52428801' } }, ERRORS.bodyTooLarge],
    ];
    for (const [request, error] of failures) {
      const response = await sendFrom(WEBVIEW, request);
      assertError(response, error);
      assertCors(response, WEBVIEW);
    }
    const impatient = await scope.proxy(enclave, { PROXY_REQUEST_TIMEOUT_SECS: '0.3' });
    const late = await sendFrom(WEBVIEW, { body: chatBody('/hang') }, impatient);
    assertError(late, ERRORS.timeout);
    assertCors(late, WEBVIEW);
    const fromBackend = await chatFrom(WEBVIEW, '/status 429 5');
    assert.equal(fromBackend.status, 429);
    assertCors(fromBackend, WEBVIEW);
  });

  it('that is allowed gets the proxy’s CORS headers, not the backend’s', async () => {
    assertCors(await chatFrom(WEBVIEW, '/headers'), WEBVIEW);
    const withoutOrigin = await sendRequest(proxy.url, { body: chatBody('/headers') });
    assert.deepEqual(withoutOrigin.headers['access-control-allow-origin'], ['*']);
  });

  it('is forwarded like any other header', async () => {
    const index = enclave.journal.requests.length;
    await chatFrom(WEBVIEW, 'Hello');
    const { headers } = await enclave.journal.request(index);
    assert.ok(headers.some(({ name, value }) => name === 'origin' && value === WEBVIEW));
  });
});
