// One line for each request: method, path, status, bytes, milliseconds to start and to end, and the outcome.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import type { RequestOptions } from '../support/e2e/httpClient.ts';
import { exchangeRaw } from '../support/e2e/rawHttp.ts';
import { perSuite, serve } from '../support/e2e/scope.ts';

const CHAT = '/v1/chat/completions';
const LONG = 'dev-a-key-in-a-mistyped-path';

describe('The log line of a request', () => {
  const scope = perSuite();
  const served = serve(scope);

  const sendLogged = async (request: RequestOptions) => {
    const logged = served.proxy.stderr.items.length;
    const response = await sendRequest(served.proxy.url, request);
    return { response, line: await served.proxy.logged('request', {}, logged) };
  };

  it('has the bytes of both bodies and the milliseconds to the start and to the end', async () => {
    const body = chatBody('/wait 120 Hello', { stream: true });
    const { response, line } = await sendLogged({ body });
    const { time, startMs, endMs, ...rest } = line;
    assert.deepEqual(rest, {
      level: 'info',
      event: 'request',
      method: 'POST',
      path: CHAT,
      status: 200,
      bytesIn: body.length,
      bytesOut: response.body.length,
      end: 'complete',
    });
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 5000);
    assert.ok(Number(startMs) >= 119 && Number(startMs) <= Number(endMs));
  });

  const lines: [string, RequestOptions, object][] = [
    ['a list of models', { method: 'GET', path: '/v1/models' }, { method: 'GET', path: '/v1/models', status: 200 }],
    ['a query, which it omits', { method: 'GET', path: '/v1/models?key=x' }, { path: '/v1/models', status: 200 }],
    ['an error of the backend', { body: chatBody('/status 429') }, { status: 429, level: 'info' }],
    ['a health check', { method: 'GET', path: '/health', key: null }, { path: '/health', status: 200 }],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'vscode-webview://x' } },
      { method: 'OPTIONS', status: 204 },
    ],
    ['a missing key', { key: null }, { path: CHAT, status: 401 }],
    ['a foreign origin', { headers: { origin: 'https://evil.example' } }, { status: 403 }],
    ['a path that is not served', { path: '/v1/responses' }, { path: 'other', status: 404 }],
    ['a path with what may be a key', { path: `/v1/${LONG}` }, { path: 'other', status: 404 }],
    ['another method', { method: 'DELETE' }, { method: 'DELETE', status: 405 }],
    ['a body that is too long', { headers: { 'content-length': '60000000' } }, { status: 413, bytesIn: 0 }],
    ['an expectation', { headers: { expect: 'a-miracle' } }, { status: 417 }],
  ];
  for (const [what, request, expected] of lines) {
    it(`is written for ${what}`, async () => {
      const { line } = await sendLogged(request);
      for (const [name, value] of Object.entries({ level: 'info', end: 'complete', ...expected })) {
        assert.equal(line[name], value, name);
      }
    });
  }

  it('is written for a tunnel', async () => {
    const logged = served.proxy.stderr.items.length;
    await exchangeRaw(served.proxy.port, 'CONNECT remote:443 HTTP/1.1\r\nHost: remote:443\r\n\r\n');
    await served.proxy.logged('request', { method: 'CONNECT', path: 'other', status: 404 }, logged);
  });

  it('contains the path only if it is a served one', async () => {
    for (const path of ['/', '/health', '/v1/models', CHAT, '/v1/embeddings']) {
      assert.equal((await sendLogged({ method: 'PUT', path })).line['path'], path);
    }
    const others = [
      '/v1',
      '/v1/',
      '/V1/models',
      '/v1/models/',
      `/v1/models/${LONG}`,
      `/v1//models`,
      `/${LONG}`,
      '//health',
    ];
    for (const path of [...others, `${CHAT}/`, `${CHAT};${LONG}`, '/health%20', `/${'ab/'.repeat(1000)}`]) {
      assert.equal((await sendLogged({ method: 'PUT', path })).line['path'], 'other', path);
    }
    assert.ok(!served.proxy.stderr.items.join('\n').includes(LONG));
  });

  it('is a warning after a broken connection, with the code of the cause', async () => {
    served.enclave.setFaults('reset-before-response');
    const { line } = await sendLogged({ body: chatBody('Hello') });
    served.enclave.setFaults('');
    const { level, status, end, detail } = line;
    assert.deepEqual([level, status, end], ['warn', 502, 'network']);
    assert.match(String(detail), /^[A-Z_]+$/);
  });

  it('is a warning if the backend was silent', async () => {
    const impatient = await scope.proxy(served.enclave, { PROXY_REQUEST_TIMEOUT_SECS: '0.3' });
    await sendRequest(impatient.url, { body: chatBody('/hang') });
    const { level, status, end, bytesOut } = await impatient.logged('request');
    assert.deepEqual([level, status, end, bytesOut], ['warn', 504, 'timeout', 0]);
  });

  it('is the only one of its request', async () => {
    const before = served.proxy.log.length;
    for (let count = 0; count < 5; count++) await sendLogged({ method: 'GET', path: '/health' });
    assert.equal(served.proxy.log.length, before + 5);
  });
});
