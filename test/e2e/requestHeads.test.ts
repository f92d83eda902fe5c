// The limits on the head of a request, and unusual or malformed heads.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { RawConnection, exchangeRaw } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';

describe('The head of a request', () => {
  const served = serve(perSuite());

  const lines = (target: string, ...more: readonly string[]) =>
    [
      `GET ${target} HTTP/1.1`,
      `Host: 127.0.0.1:${served.proxy.port}`,
      `Authorization: Bearer ${ACCESS_KEY}`,
      ...more,
      '',
      '',
    ].join('\r\n');
  const sendRaw = (target: string, ...more: readonly string[]) =>
    exchangeRaw(served.proxy.port, lines(target, ...more));
  const many = (count: number) => Array.from({ length: count }, (_, index) => `x-many: ${index}`);

  it('may have a target of 16 KiB and not a byte more', async () => {
    const target = `/v1/models?${'x'.repeat(16 * 1024)}`.slice(0, 16 * 1024);
    assert.equal((await sendRaw(target)).status, 200);
    assert.equal((await served.enclave.journal.request(0)).target, target);
    assertError(await sendRaw(`${target}x`), ERRORS.targetTooLong);
    assertError(await sendRaw(`${target}${'x'.repeat(100_000)}`), ERRORS.targetTooLong);
    assertError(await sendRaw(`/v1/nothing?${'x'.repeat(100_000)}`), ERRORS.noSuchPath);
  });

  it('may have 64 forwarded headers and not one more', async () => {
    const index = served.enclave.journal.requests.length;
    assert.equal((await sendRaw('/v1/models', ...many(64))).status, 200);
    const { headers } = await served.enclave.journal.request(index);
    assert.deepEqual(
      headers,
      many(64).map((_, number) => ({ name: 'x-many', value: String(number) })),
    );
    assertError(await sendRaw('/v1/models', ...many(65)), ERRORS.headersTooLarge);
    assertError(await sendRaw('/v1/models', ...many(5000)), ERRORS.headersTooLarge);
  });

  it('may have any number of headers that are not forwarded', async () => {
    const dropped = Array.from({ length: 500 }, (_, number) => `x-forwarded-${number}: x`);
    assert.equal((await sendRaw('/v1/models', ...many(64), ...dropped)).status, 200);
  });

  it('may have 100 KB of headers, but not more than the metadata can hold', async () => {
    assert.equal((await sendRaw('/v1/models', `x-long: ${'x'.repeat(100_000)}`)).status, 200);
    assertError(await sendRaw('/v1/models', `x-long: ${'x'.repeat(131_072)}`), ERRORS.headersTooLarge);
    assertError(await sendRaw('/v1/models', `x-long: ${'\xe9'.repeat(70_000)}`), ERRORS.headersTooLarge);
    assertError(await sendRaw('/v1/models', `x-long: ${'x'.repeat(300_000)}`), ERRORS.headTooLarge);
    assertError(
      await curl(
        '-H',
        `x-long: ${'x'.repeat(100_000)}`,
        '-H',
        `x-more: ${'x'.repeat(100_000)}`,
        `${served.proxy.url}/`,
      ),
      ERRORS.headTooLarge,
    );
  });

  it('is refused with a target that an envelope cannot carry', async () => {
    for (const target of ['/v1/models?a#b', '/v1/models?a\\b', '/v1/models?\xe9']) {
      const { status } = await sendRaw(target);
      assert.equal(status, 400, target);
    }
    assertError(await sendRaw('/v1/models?a\\b'), ERRORS.badTarget);
  });

  it('with an absolute target of this computer is served, and forwarded as a path', async () => {
    const index = served.enclave.journal.requests.length;
    for (const origin of [served.proxy.url, `HTTP://localhost:${served.proxy.port}`]) {
      assert.equal((await sendRaw(`${origin}/health`)).status, 200);
      assert.equal((await sendRaw(`${origin}?x=1`)).status, 200);
      assert.equal((await sendRaw(`${origin}/v1/models?x=1`)).status, 200);
    }
    assert.equal((await served.enclave.journal.request(index)).target, '/v1/models?x=1');
    assert.equal(served.enclave.journal.requests.length, index + 2);
  });

  it('with an absolute target of another computer or scheme is not served or forwarded', async () => {
    const index = served.enclave.journal.requests.length;
    assertError(await sendRaw('http://remote.example/v1/models'), ERRORS.foreignHost);
    assertError(await sendRaw('https://127.0.0.1/v1/models'), ERRORS.badTarget);
    const response = await curl(
      '--proxy',
      served.proxy.url,
      '-H',
      'Host: 127.0.0.1',
      'http://remote.example/v1/models',
    );
    assertError(response, ERRORS.foreignHost);
    assert.equal(served.enclave.journal.requests.length, index);
  });

  it('with an access key in another place than the bearer token does not carry it to the enclave', async () => {
    const index = served.enclave.journal.requests.length;
    const names = ['x-api-key', 'api-key', 'x-goog-api-key'];
    assert.equal((await sendRaw('/v1/models', ...names.map((name) => `${name}: ${ACCESS_KEY}`))).status, 200);
    assert.deepEqual((await served.enclave.journal.request(index)).headers, []);
    for (const name of ['key', 'api_key', 'api-key']) {
      assertError(await sendRaw(`/v1/models?${name}=${ACCESS_KEY}`), ERRORS.keyInQuery);
    }
    assert.equal(served.enclave.journal.requests.length, index + 1);
  });

  it('may ask for the options of the server and of each path, without a key', async () => {
    const options = (target: string) =>
      exchangeRaw(served.proxy.port, `OPTIONS ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    for (const [target, allow] of [
      ['*', 'GET, HEAD, POST, OPTIONS'],
      [served.proxy.url, 'GET, HEAD, POST, OPTIONS'],
      ['/', 'GET, HEAD, OPTIONS'],
      ['/health', 'GET, HEAD, OPTIONS'],
      ['/v1/models', 'GET, OPTIONS'],
      ['/v1/chat/completions', 'POST, OPTIONS'],
      ['/anthropic/v1/messages', 'POST, OPTIONS'],
    ] as const) {
      const response = await options(target);
      assert.deepEqual([response.status, response.field('allow'), response.body.length], [204, allow, 0], target);
      assert.equal(response.field('access-control-allow-origin'), undefined);
    }
    assertError(await options('/nothing'), ERRORS.noSuchPath);
  });

  it('is refused with a target that is not one', async () => {
    for (const target of ['*', '/x#f', '/health#f', 'health', '127.0.0.1:1', 'ftp://localhost/'])
      assert.equal((await sendRaw(target)).status, 400, target);
    assertError(await sendRaw('*'), ERRORS.badTarget);
    assertError(await sendRaw('/x#f'), ERRORS.badTarget);
  });

  const malformed: [string, string][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['the start of a TLS connection', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a method that is none', 'G@T / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['another version', 'GET / HTTP/3.0\r\nHost: localhost\r\n\r\n'],
    ['a space in a header’s name', 'GET / HTTP/1.1\r\nHost: localhost\r\nx y: 1\r\n\r\n'],
    ['a control character in a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nx: \x01\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\nx: 1\r\n 2\r\n\r\n'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: localhost\n\n'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ];
  for (const [what, text] of malformed) {
    it(`gets a 400 response in JSON when it has ${what}`, async () => {
      const connection = await RawConnection.open(served.proxy.port);
      connection.send(text);
      const response = await connection.readResponse();
      assertError(response, ERRORS.badRequest);
      assert.equal(response.field('connection'), 'close');
      assert.equal(response.field('content-type'), 'application/json');
      assert.equal(await connection.end(), 'closed');
    });
  }

  it('with an unknown transfer coding is refused', async () => {
    const index = served.enclave.journal.requests.length;
    const body = chatBody('Hello');
    const head = lines('/v1/chat/completions', 'Transfer-Encoding: gzip, chunked').replace('GET', 'POST');
    const { status } = await exchangeRaw(
      served.proxy.port,
      `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    assert.equal(status, 400);
    assert.equal(served.enclave.journal.requests.length, index);
  });

  it('with malformed chunks aborts the request, and no complete request reaches the enclave', async () => {
    const index = served.enclave.journal.requests.length;
    const head = lines('/v1/chat/completions', 'Transfer-Encoding: chunked').replace('GET', 'POST');
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(`${head}5\r\nhello\r\nnot hex\r\n`);
    assertError(await connection.readResponse(), ERRORS.badRequest);
    assert.equal(await connection.end(), 'closed');
    assert.equal(served.enclave.journal.requests.length, index);
    await served.proxy.logged('request', { path: '/v1/chat/completions', end: 'client-gone' });
  });

  it('with an unknown expectation is refused', async () => {
    const response = await sendRaw('/v1/models', 'Expect: a-miracle');
    assertError(response, ERRORS.expectation);
    await served.proxy.logged('request', { path: '/v1/models', status: 417 });
    const foreign = lines('/v1/models', 'Expect: a-miracle').replace('127.0.0.1', 'rebinding.example');
    assertError(await exchangeRaw(served.proxy.port, foreign), ERRORS.foreignHost);
  });

  it('may request an upgrade, and gets a response without one', async () => {
    const index = served.enclave.journal.requests.length;
    const response = await sendRaw(
      '/v1/models',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAA',
    );
    assert.equal(response.status, 200);
    assert.deepEqual((await served.enclave.journal.request(index)).headers, []);
  });
});
