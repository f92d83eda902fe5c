// One line for each request: method, path, status, bytes, milliseconds to start and to end, and the outcome.
import assert from 'node:assert/strict';
import { accessKeyId } from '../../src/shared/accessKeys.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import type { RequestOptions } from '../support/e2e/httpClient.ts';
import { exchangeRaw } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';

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
    const body = chatBody('/wait 120 Hello', { stream: true, stream_options: { include_usage: true } });
    const { response, line } = await sendLogged({ body });
    const { time, startMs, endMs, tokensIn, tokensOut, tokensCached, ...rest } = line;
    assert.deepEqual(rest, {
      level: 'info',
      event: 'request',
      method: 'POST',
      path: CHAT,
      requestId: response.headers['x-request-id']?.[0],
      client: accessKeyId(ACCESS_KEY),
      model: (JSON.parse(body) as { model: string }).model,
      status: 200,
      bytesIn: body.length,
      bytesOut: response.body.length,
      end: 'complete',
    });
    for (const tokens of [tokensIn, tokensOut]) assert.ok(Number(tokens) > 0);
    assert.ok(tokensCached === null || Number.isInteger(tokensCached));
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 5000);
    assert.ok(Number(startMs) >= 119 && Number(startMs) <= Number(endMs));
  });

  const lines: [string, RequestOptions, object][] = [
    ['a list of models', { method: 'GET', path: '/v1/models' }, { method: 'GET', path: '/v1/models', status: 200 }],
    ['a query, which it omits', { method: 'GET', path: '/v1/models?key=x' }, { path: '/v1/models', status: 200 }],
    ['an error of the backend', { body: chatBody('/status 429') }, { status: 429, level: 'info' }],
    ['a client with a key of its own', { key: 'dev-own', body: chatBody('Hello') }, { client: 'direct', status: 200 }],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'vscode-webview://x' } },
      { method: 'OPTIONS', status: 204 },
    ],
    ['a missing key', { key: null }, { status: 401, reason: 'no_key', client: 'none' }],
    ['an unknown access key', { key: `${ACCESS_KEY.slice(0, -1)}_` }, { status: 401, reason: 'unknown_access_key' }],
    ['a malformed key', { key: 'dev a' }, { status: 401, reason: 'malformed_key' }],
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

  it('has the name of the client and the reason of a refusal', async () => {
    const proxy = await scope.proxy(served.enclave, {
      PROXY_ACCESS_KEYS: `alice=${ACCESS_KEY}`,
      PROXY_ACCESS_KEYS_ONLY: 'true',
    });
    await sendRequest(proxy.url, { body: chatBody('Hello') });
    const { model } = await proxy.logged('request', { client: 'alice', status: 200 });
    assert.equal(typeof model, 'string');
    await sendRequest(proxy.url, { body: chatBody('Hello'), key: 'dev-own' });
    await proxy.logged('request', { client: 'none', status: 401, reason: 'key_not_allowed' });
    assert.ok(!proxy.stderr.items.join('').includes('dev-own'));
  });

  it('is written for probes at the level debug only', async () => {
    const proxy = await scope.proxy(served.enclave, { PROXY_LOG_LEVEL: 'debug' });
    for (const path of ['/', '/health']) {
      await sendRequest(proxy.url, { method: 'GET', path, key: null });
      await proxy.logged('request', { path, level: 'debug' });
    }
  });

  it('has the ID that the client got with each response of the proxy', async () => {
    const requests: RequestOptions[] = [
      { body: chatBody('Hello') },
      { body: chatBody('Hello', { stream: true }) },
      { key: null },
      { path: '/nowhere' },
      { method: 'OPTIONS' },
      { path: '/anthropic/v1/messages', body: '{}' },
      { path: '/responses/v1/responses', body: '{}' },
    ];
    for (const request of requests) {
      const { response, line } = await sendLogged(request);
      assert.match(String(line['requestId']), /^req_[0-9a-f]{32}$/);
      assert.deepEqual(response.headers['x-request-id'], [line['requestId']], JSON.stringify(request));
    }
    const health = await sendRequest(served.proxy.url, { method: 'GET', path: '/health', key: null });
    assert.match(String(health.headers['x-request-id']), /^req_/);
  });

  it('is the only one of its request', async () => {
    const before = served.proxy.log.length;
    for (let count = 0; count < 5; count++) await sendLogged({ method: 'PUT', path: '/health' });
    assert.equal(served.proxy.log.length, before + 5);
  });
});
