// Section 8 of the specification: the two timeouts, and what starts them.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { openRequest, openResponse, readResponse, responseTo, sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, perTest, serve } from '../support/e2e/scope.ts';
import type { Settings } from '../support/e2e/scope.ts';
import { timed } from '../support/e2e/stopwatch.ts';
import { RawServer } from '../support/rawServer.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

/** In milliseconds. Pauses in successful requests are a small part of it, or add up to well above it. */
const LIMIT = 1500;
const PACE = 50;
/** How many words take longer than the limit twice. */
const MANY = (2 * LIMIT) / PACE + 10;
const seconds = String(LIMIT / 1000);

/** Timers can be late on a busy computer, but never early. The other timeout, of five minutes, is longer than any wait. */
function assertAfter(milliseconds: number, expected: number): void {
  assert.ok(milliseconds > expected - 20, `${milliseconds} ms, too early for ${expected}`);
}

describe('The request timeout', () => {
  const served = serve(perSuite(), {
    enclave: { handler: createModel({ paceMs: PACE }) },
    settings: { PROXY_REQUEST_TIMEOUT_SECS: seconds },
  });

  it('ends with 504 when the backend is silent, and cancels the request', async () => {
    for (const stream of [false, true]) {
      const index = served.enclave.journal.requests.length;
      const { result, milliseconds } = await timed(() =>
        sendRequest(served.proxy.url, { body: chatBody('/hang', { stream }) }),
      );
      assertError(result, ERRORS.timeout);
      assertAfter(milliseconds, LIMIT);
      const { end } = await served.enclave.journal.request(index);
      assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
      await served.proxy.logged('request', { status: 504, end: 'timeout' });
    }
  });

  it('is not followed by a retry', async () => {
    const index = served.enclave.journal.requests.length;
    assertError(await sendRequest(served.proxy.url, { body: chatBody('/hang') }), ERRORS.timeout);
    assertError(await sendRequest(served.proxy.url, { method: 'GET', path: '/v1/nothing' }), ERRORS.noSuchPath);
    assert.equal(served.enclave.journal.requests.length, index + 1);
  });

  it('ends with 504 for models and embeddings alike', async () => {
    served.enclave.setFaults('hang-before-response');
    assertError(await sendRequest(served.proxy.url, { method: 'GET', path: '/v1/models' }), ERRORS.timeout);
    assertError(
      await sendRequest(served.proxy.url, { path: '/v1/embeddings', body: '{"input":"Hi"}' }),
      ERRORS.timeout,
    );
    served.enclave.setFaults('');
  });

  it('breaks a non-streaming response that has started and does not finish', async () => {
    served.enclave.setFaults('hang-mid-response');
    const { result, milliseconds } = await timed(() => sendRequest(served.proxy.url, { body: chatBody('Hello') }));
    served.enclave.setFaults('');
    assert.deepEqual([result.status, result.broken], [200, true]);
    assertAfter(milliseconds, LIMIT);
    const status = await curl(
      ...[
        '-H',
        `Authorization: Bearer ${ACCESS_KEY}`,
        '-d',
        chatBody('Hello'),
        `${served.proxy.url}/v1/chat/completions`,
      ],
    );
    assert.equal(status.exitCode, 0);
  });

  it('does not limit a stream that has started', async () => {
    const body = chatBody(`/repeat ${MANY}`, { stream: true });
    const { result, milliseconds } = await timed(() => sendRequest(served.proxy.url, { body }));
    assert.equal(result.broken, false);
    assert.match(result.body.toString(), /data: \[DONE\]\n\n$/);
    assertAfter(milliseconds, 2 * LIMIT);
  });

  it('starts when the upload is complete, regardless of its duration', async () => {
    const body = chatBody('/wait 100 Hello');
    for (const framing of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
      const sent = openRequest(served.proxy.url, { headers: framing });
      const response = responseTo(sent);
      for (let offset = 0; offset < body.length; offset += 10) {
        sent.write(body.slice(offset, offset + 10));
        await delay((2 * LIMIT) / (body.length / 10));
      }
      sent.end();
      assert.equal((await readResponse(await response)).status, 200);
    }
  });

  it('is the same for a slow and a quick upload once it is complete', async () => {
    const body = chatBody('/hang');
    const sent = openRequest(served.proxy.url, {});
    const response = responseTo(sent);
    sent.write(body.slice(0, 10));
    await delay(2 * LIMIT);
    sent.end(body.slice(10));
    const { result, milliseconds } = await timed(() => response);
    assertError(await readResponse(result), ERRORS.timeout);
    assertAfter(milliseconds, LIMIT);
  });
});

describe('The request timeout during a handshake', () => {
  const scope = perTest();

  it('ends with 504, and the request is not sent', async () => {
    const enclave = await scope.enclave({ faults: 'handshake-hang' });
    const proxy = await scope.proxy(enclave, { PROXY_REQUEST_TIMEOUT_SECS: seconds });
    const { result, milliseconds } = await timed(() => sendRequest(proxy.url, { body: chatBody('Hello') }));
    assertError(result, ERRORS.timeout);
    assertAfter(milliseconds, LIMIT);
    assert.deepEqual([enclave.journal.requests.length, enclave.journal.rejections.length], [0, 0]);
    await proxy.logged('handshake_failed', { code: 'timeout' });
  });
});

describe('A connection to the enclave that cannot be established', () => {
  const scope = perTest();
  const quick = { nodeArgs: ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href] };
  const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

  for (const [where, through] of [
    ['no response to TLS', undefined],
    ['no response to TLS behind a company’s proxy', ESTABLISHED],
    ['no response from a company’s proxy', ''],
  ] as const) {
    it(`is aborted after half a minute, and its socket closed: ${where}`, async () => {
      const silent = await RawServer.listen();
      scope.onClose(() => silent.close());
      const url = through === undefined ? `https://127.0.0.1:${silent.port}` : 'https://enclave.remote.example';
      const settings: Settings = through === undefined ? {} : { HTTPS_PROXY: silent.origin };
      const proxy = await scope.proxy({ url }, settings, quick);
      const connection = await silent.next();
      const { milliseconds } = await timed(async () => {
        if (through !== undefined) {
          await connection.takeHead();
          connection.write(through);
        }
        await proxy.logged('handshake_failed', { code: 'timeout' });
        await withTimeout('the end of the connection', DEADLINE, connection.closed);
      });
      assert.ok(milliseconds > 1000, `${milliseconds} ms`);
    });
  }
});

describe('The idle timeout', () => {
  const served = serve(perSuite(), {
    enclave: { handler: createModel({ paceMs: PACE }) },
    settings: { PROXY_STREAM_IDLE_TIMEOUT_SECS: seconds },
  });

  it('breaks a stream with a gap after delivering what came before it, and cancels the request', async () => {
    const index = served.enclave.journal.requests.length;
    const { result, milliseconds } = await timed(() =>
      sendRequest(served.proxy.url, { body: chatBody('/stall 3', { stream: true }) }),
    );
    assert.deepEqual([result.status, result.broken], [200, true]);
    assert.equal(result.body.toString().match(/"word "/g)?.length, 3);
    assertAfter(milliseconds, LIMIT + 3 * PACE);
    const { end } = await served.enclave.journal.request(index);
    assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
    await served.proxy.logged('request', { status: 200, end: 'timeout' });
  });

  it('is an error for curl', async () => {
    const { exitCode, body } = await curl(
      ...['-H', `Authorization: Bearer ${ACCESS_KEY}`, '-d', chatBody('/stall 2', { stream: true })],
      `${served.proxy.url}/v1/chat/completions`,
    );
    assert.equal(exitCode, 18);
    assert.equal(body.toString().match(/"word "/g)?.length, 2);
  });

  it('restarts with each chunk, so that a slow and steady stream may continue', async () => {
    const { result, milliseconds } = await timed(() =>
      sendRequest(served.proxy.url, { body: chatBody(`/repeat ${MANY}`, { stream: true }) }),
    );
    assert.equal(result.broken, false);
    assertAfter(milliseconds, 2 * LIMIT);
  });

  it('restarts with a comment line too', async () => {
    const result = await sendRequest(served.proxy.url, { body: chatBody(`/ping ${MANY}`, { stream: true }) });
    assert.equal(result.broken, false);
    assert.equal(result.body.toString().match(/^: ping$/gm)?.length, MANY);
  });

  it('limits neither the start of a response nor a non-streaming one', async () => {
    for (const stream of [true, false]) {
      const response = await sendRequest(served.proxy.url, { body: chatBody(`/wait ${2 * LIMIT} Hello`, { stream }) });
      assert.deepEqual([response.status, response.broken], [200, false]);
    }
  });

  it('is paused while the client does not read', async () => {
    const message = await openResponse(served.proxy.url, {
      body: chatBody('/burst 150000 0123456789abcdef', { stream: true }),
    });
    await delay(3 * LIMIT);
    const response = await readResponse(message);
    assert.equal(response.broken, false);
    assert.equal(response.body.toString().match(/0123456789abcdef/g)?.length, 150_000);
  });

  it('ends a stalled upload with 408, and no complete request reaches the enclave', async () => {
    const index = served.enclave.journal.requests.length;
    for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const connection = await RawConnection.open(served.proxy.port);
      const head = ['POST /v1/embeddings HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ACCESS_KEY}`, framing];
      connection.send(`${head.join('\r\n')}\r\n\r\n5\r\nhello\r\n`);
      const { result, milliseconds } = await timed(() => connection.readResponse());
      assertError(result, ERRORS.uploadTimeout);
      assertAfter(milliseconds, LIMIT);
      connection.destroy();
    }
    assert.equal(served.enclave.journal.requests.length, index);
    await served.proxy.logged('request', { status: 408, end: 'upload_timeout' });
  });
});
