// HTTP connections: keep-alive, pipelining, and old clients.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { RawConnection, exchangeRaw } from '../support/e2e/rawHttp.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

describe('A connection', () => {
  const model = recordedModel();
  const served = serve(perSuite(), { enclave: { handler: model.handler } });

  /** A complete chat request. */
  const chat = (content: string, { stream = false, version = '1.1', more = [] as string[] } = {}) => {
    const body = chatBody(content, { stream });
    return [
      `POST /v1/chat/completions HTTP/${version}`,
      `Host: 127.0.0.1:${served.proxy.port}`,
      `Authorization: Bearer ${ACCESS_KEY}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...more,
      '',
      body,
    ].join('\r\n');
  };
  const text = (body: Buffer) =>
    (JSON.parse(body.toString()) as { choices: [{ message: { content: string } }] }).choices[0].message.content;

  it('serves one request after another', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    for (const word of ['one', 'two', 'three']) {
      connection.send(chat(word));
      assert.equal(text((await connection.readResponse()).body), `You said: ${word}`);
    }
    connection.destroy();
  });

  it('answers pipelined requests in order', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    const health = `GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    connection.send(chat('/wait 150 slow') + health + chat('quick') + chat('/nothing', { more: ['Origin: null'] }));
    assert.match(text((await connection.readResponse()).body), /slow$/);
    assert.equal((await connection.readResponse()).status, 200);
    assert.equal(text((await connection.readResponse()).body), 'You said: quick');
    assertError(await connection.readResponse(), ERRORS.foreignOrigin);
    assert.equal(connection.received.length, 0);
    connection.destroy();
  });

  it('keeps a stream complete whose request was pipelined behind a slow one', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/wait 150 slow') + chat('/burst 5000', { stream: true }));
    assert.match(text((await connection.readResponse()).body), /slow$/);
    const { body } = await connection.readResponse();
    assert.ok(body.equals(Buffer.concat(model.responses.at(-1)?.chunks ?? [])));
    connection.destroy();
  });

  it('breaks where a stream breaks, also a pipelined one', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/wait 150 slow') + chat('/fail 3', { stream: true }));
    assert.match(text((await connection.readResponse()).body), /slow$/);
    assert.equal(await connection.end(), 'closed');
    const rest = connection.received.toString();
    assert.match(rest, /^HTTP\/1\.1 200 OK\r\n/);
    assert.equal(rest.match(/"content":"word "/g)?.length, 3);
    assert.ok(!rest.includes('0\r\n\r\n'));
  });

  it('cancels every request on it when the client disconnects, also pipelined ones', async () => {
    const index = served.enclave.journal.requests.length;
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/stall 1', { stream: true }) + chat('/hang') + chat('/stall 5', { stream: true }));
    const requests = [0, 1, 2].map((offset) => served.enclave.journal.request(index + offset));
    const entries = await withTimeout('three requests at the enclave', DEADLINE, Promise.all(requests));
    await connection.until('word');
    connection.destroy();
    for (const { end } of entries) {
      const { ended } = await withTimeout('the end of each request at the enclave', DEADLINE, end);
      assert.equal(ended, 'client-cancelled');
    }
  });

  it('logs each pipelined request once when the client disconnects', async () => {
    // The lines of earlier requests come before this one.
    const earlier = served.proxy.stderr.items.length;
    await sendRequest(served.proxy.url, { method: 'PUT', path: '/health' }); // a probe would have no line
    await served.proxy.logged('request', { path: '/health' }, earlier);
    const [index, logged] = [served.enclave.journal.requests.length, served.proxy.stderr.items.length];
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/hang').repeat(3));
    const requests = Promise.all([0, 1, 2].map((offset) => served.enclave.journal.request(index + offset)));
    await withTimeout('three requests at the enclave', DEADLINE, requests);
    connection.destroy();
    await served.proxy.logged('request', { end: 'client-gone' }, logged);
    await sendRequest(served.proxy.url, { method: 'PUT', path: '/health' });
    await served.proxy.logged('request', { path: '/health' }, logged);
    const lines = served.proxy.stderr.items.slice(logged).filter((line) => line.includes('client-gone'));
    assert.equal(lines.length, 3);
  });

  it('of an HTTP version other than 1.1 is refused, where a broken response would look complete', async () => {
    const before = model.responses.length;
    const old = await exchangeRaw(served.proxy.port, chat('Hello', { version: '1.0', stream: true }));
    assertError(old, ERRORS.httpVersion);
    assert.equal(old.field('connection')?.toLowerCase(), 'close');
    for (const version of ['0.9', '1.0', '2.0']) {
      for (const path of ['/v1/chat/completions', '/v1/embeddings', '/v1/models']) {
        const text = chat('Hello', { version, stream: true }).replace('/v1/chat/completions', path);
        const { status } = await exchangeRaw(
          served.proxy.port,
          path === '/v1/models' ? text.replace('POST', 'GET') : text,
        );
        assert.ok(status === 400 || status === 505, `${path} HTTP/${version}`);
      }
    }
    assertError(
      await curl('--http1.0', '-H', `Authorization: Bearer ${ACCESS_KEY}`, `${served.proxy.url}/v1/models`),
      ERRORS.httpVersion,
    );
    for (const text of [
      'GET /v1/models\r\n\r\n',
      'GET /v1/models HTTP/0.9\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      const { status } = await exchangeRaw(served.proxy.port, text);
      assert.ok([400, 403, 505].includes(status), `${status}: ${text}`);
    }
    assert.equal(model.responses.length, before);
  });

  it('breaks at malformed input while a response is pending, without another response in its place', async () => {
    for (const [what, data, streams] of [
      ['a request that waits', chat('/hang'), false],
      ['a request that waits behind another', chat('/stall 2', { stream: true }) + chat('/hang'), true],
      ['a stream', chat('/stall 2', { stream: true }), true],
    ] as const) {
      const [index, logged] = [served.enclave.journal.requests.length, served.proxy.stderr.items.length];
      const connection = await RawConnection.open(served.proxy.port);
      connection.send(data);
      const { end } = await served.enclave.journal.request(index);
      if (streams) await connection.until('"word "');
      connection.send('G@T / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      assert.equal(await connection.end(), 'closed', what);
      assert.equal(
        (await withTimeout('the end of the request at the enclave', DEADLINE, end)).ended,
        'client-cancelled',
        what,
      );
      const received = connection.received.toString();
      assert.equal(received.match(/HTTP\/1\.1/g)?.length, streams ? 1 : undefined, what);
      assert.doesNotMatch(received, /"error"|0\r\n\r\n/, what);
      await served.proxy.logged('request', { end: 'client-gone' }, logged);
    }
  });

  it('gets a JSON error and a log line for malformed input while no response is pending', async () => {
    for (const [text, error] of [
      ['G@T / HTTP/1.1\r\nHost: localhost\r\n\r\n', ERRORS.badRequest],
      [`GET / HTTP/1.1\r\nHost: localhost\r\nx: ${'x'.repeat(300_000)}\r\n\r\n`, ERRORS.headTooLarge],
    ] as const) {
      for (const before of ['', chat('Hello')]) {
        const logged = served.proxy.stderr.items.length;
        const connection = await RawConnection.open(served.proxy.port);
        if (before !== '') {
          connection.send(before);
          assert.equal((await connection.readResponse()).status, 200);
        }
        connection.send(text);
        assertError(await connection.readResponse(), error);
        await served.proxy.logged('request', { method: '', path: 'other', status: error.status }, logged);
        connection.destroy();
      }
    }
  });

  it('cancels all of its 32 requests when the client disconnects', async () => {
    const index = served.enclave.journal.requests.length;
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/hang').repeat(32));
    const requests = Array.from({ length: 32 }, (_, offset) => served.enclave.journal.request(index + offset));
    const entries = await withTimeout('32 requests at the enclave', DEADLINE, Promise.all(requests));
    connection.destroy();
    for (const { end } of entries) {
      assert.equal(
        (await withTimeout('the end of each request at the enclave', DEADLINE, end)).ended,
        'client-cancelled',
      );
    }
  });

  it('with more than 32 pending requests is closed, and all of them are cancelled', async () => {
    const index = served.enclave.journal.requests.length;
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('/hang').repeat(32));
    const requests = Array.from({ length: 32 }, (_, offset) => served.enclave.journal.request(index + offset));
    const entries = await withTimeout('32 requests at the enclave', DEADLINE, Promise.all(requests));
    connection.send(chat('/hang'));
    await connection.end();
    for (const { end } of entries) {
      assert.equal(
        (await withTimeout('the end of each request at the enclave', DEADLINE, end)).ended,
        'client-cancelled',
      );
    }
    assert.equal(served.enclave.journal.requests.length, index + 32);
  });

  it('of an HTTP/1.0 client is kept alive for responses of the proxy itself', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    const health = 'GET /health HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n';
    for (let count = 0; count < 2; count++) {
      connection.send(health);
      const response = await connection.readResponse();
      assert.equal(response.status, 200);
      assert.equal(response.field('connection'), 'keep-alive');
    }
    connection.destroy();
  });

  it('of curl that offers an upgrade to HTTP/2 gets its response', async () => {
    for (const version of ['--http1.1', '--http2']) {
      const response = await curl(
        version,
        '-H',
        `Authorization: Bearer ${ACCESS_KEY}`,
        `${served.proxy.url}/v1/models`,
      );
      assert.deepEqual([response.exitCode, response.status], [0, 200], version);
      assert.ok(response.body.equals(Buffer.concat(model.responses.at(-1)?.chunks ?? [])));
    }
  });

  it('is closed after the response when the client requests it', async () => {
    const connection = await RawConnection.open(served.proxy.port);
    connection.send(chat('Hello', { more: ['Connection: close'] }));
    const response = await connection.readResponse();
    assert.equal(response.field('connection'), 'close');
    assert.equal(await connection.end(), 'closed');
  });
});
