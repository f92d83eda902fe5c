// Section 8 of the specification: a request body has at most 50 MiB.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { openRequest, readResponse, responseTo, sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const MAX_BODY = 52_428_800;
const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');

describe('A request body', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let proxy: ServerProcess;
  let folder: string;

  before(async () => {
    enclave = await scope.enclave();
    proxy = await scope.proxy(enclave);
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-e2e-'));
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  const head = (path: string, ...lines: readonly string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${proxy.port}`,
      `Authorization: Bearer ${ACCESS_KEY}`,
      'Content-Type: application/json',
      ...lines,
      '',
      '',
    ].join('\r\n');

  /** The enclave has admitted no request since, complete or not. */
  const assertNothingArrived = (index: number) => {
    assert.equal(enclave.journal.requests.length, index);
    assert.deepEqual(enclave.journal.rejections, []);
  };

  for (const path of ['/v1/chat/completions', '/v1/embeddings']) {
    it(`with a declared length over 50 MiB is refused before it is sent, at ${path}`, async () => {
      const index = enclave.journal.requests.length;
      for (const length of [MAX_BODY + 1, 2 ** 32, 2 ** 53]) {
        const connection = await RawConnection.open(proxy.port);
        connection.send(head(path, `Content-Length: ${length}`));
        assertError(await connection.readResponse(), ERRORS.bodyTooLarge);
        connection.destroy();
      }
      assertNothingArrived(index);
    });
  }

  it('with `Expect: 100-continue` is refused without `100 Continue` when it is too long', async () => {
    const index = enclave.journal.requests.length;
    const connection = await RawConnection.open(proxy.port);
    connection.send(head('/v1/chat/completions', `Content-Length: ${MAX_BODY + 1}`, 'Expect: 100-continue'));
    const response = await connection.readResponse(); // a "100 Continue" would be the first response
    assertError(response, ERRORS.bodyTooLarge);
    assert.equal(response.field('connection'), 'close');
    assert.equal(await connection.end(), 'closed');
    assertNothingArrived(index);
  });

  it('with `Expect: 100-continue` is refused without `100 Continue` when the key is missing', async () => {
    const connection = await RawConnection.open(proxy.port);
    const lines = head('/v1/chat/completions', 'Content-Length: 10', 'Expect: 100-continue');
    connection.send(lines.replace(ACCESS_KEY, 'sealed-unknown'));
    assertError(await connection.readResponse(), ERRORS.unknownAccessKey);
    assert.equal(await connection.end(), 'closed');
  });

  it('with `Expect: 100-continue` gets `100 Continue` once, and is then accepted', async () => {
    const index = enclave.journal.requests.length;
    const connection = await RawConnection.open(proxy.port);
    const body = chatBody('/describe');
    connection.send(head('/v1/chat/completions', `Content-Length: ${body.length}`, 'Expect: 100-continue'));
    const interim = await connection.readResponse();
    assert.deepEqual([interim.statusLine, interim.fields], ['HTTP/1.1 100 Continue', []]);
    connection.send(body);
    const response = await connection.readResponse();
    assert.equal(response.status, 200);
    const { headers } = await enclave.journal.request(index);
    assert.equal(
      headers.find(({ name }) => name === 'expect'),
      undefined,
    );
    connection.destroy();
  });

  it('of exactly 50 MiB arrives unchanged, with and without a length', async () => {
    const body = chatBodyOf(MAX_BODY, '/describe');
    const sha256 = createHash('sha256').update(body).digest('hex');
    const file = join(folder, 'exactly');
    writeFileSync(file, body);
    const url = `${proxy.url}/v1/chat/completions`;
    for (const framing of [[], ['-H', 'Transfer-Encoding: chunked']]) {
      const index = enclave.journal.requests.length;
      const response = await curl(
        ...['-H', `Authorization: Bearer ${ACCESS_KEY}`, '-H', 'Content-Type: application/json'],
        ...[...framing, '--data-binary', `@${file}`, url],
      );
      assert.equal(response.status, 200, response.body.toString());
      assert.deepEqual((response.json() as { body: object }).body, { length: MAX_BODY, sha256 });
      const { body_length: length, body_sha256: hash } = await enclave.journal.request(index);
      assert.deepEqual([length, hash], [MAX_BODY, sha256]);
    }
  });

  it('of one byte more is refused before curl sends it', async () => {
    const index = enclave.journal.requests.length;
    const file = join(folder, 'more');
    writeFileSync(file, Buffer.alloc(MAX_BODY + 1, 'x'));
    const response = await curl(
      ...['-H', `Authorization: Bearer ${ACCESS_KEY}`, '--data-binary', `@${file}`],
      `${proxy.url}/v1/chat/completions`,
    );
    assert.equal(response.exitCode, 0);
    assertError(response, ERRORS.bodyTooLarge);
    assert.equal(response.bytesUploaded, 0);
    assertNothingArrived(index);
  });

  it('in chunks is refused as soon as it exceeds 50 MiB, and no complete request reaches the enclave', async () => {
    const index = enclave.journal.requests.length;
    const sent = openRequest(proxy.url, { headers: { 'transfer-encoding': 'chunked' } });
    const response = responseTo(sent);
    for (let length = 0; length < MAX_BODY; length += MEBIBYTE.length) {
      const writable = sent.write(MEBIBYTE);
      if (!writable)
        await withTimeout('the drain event', DEADLINE, new Promise((resolve) => sent.once('drain', resolve)));
    }
    sent.write('x'); // the proxy does not wait for the end of the body
    const message = await response;
    assertError(await readResponse(message), ERRORS.bodyTooLarge);
    sent.destroy();
    assertNothingArrived(index);
    await proxy.logged('request', { status: 413, end: 'body_too_large', bytesIn: MAX_BODY + 1 });
  });

  it('that is refused during the upload does not keep a client from reading the response', async () => {
    const file = join(folder, 'more');
    writeFileSync(file, Buffer.alloc(MAX_BODY + 1, 'x'));
    for (const framing of [[], ['-H', 'Transfer-Encoding: chunked']]) {
      const response = await curl(
        ...['-H', `Authorization: Bearer ${ACCESS_KEY}`, '-H', 'Expect:', ...framing],
        ...['--data-binary', `@${file}`, `${proxy.url}/v1/embeddings`],
      );
      assert.equal(response.exitCode, 0);
      assertError(response, ERRORS.bodyTooLarge);
    }
  });

  it('that is refused may be sent to its end, also if the connection is then closed', async () => {
    const connection = await RawConnection.open(proxy.port, { allowHalfOpen: true });
    const length = MAX_BODY + MEBIBYTE.length;
    connection.send(head('/v1/chat/completions', `Content-Length: ${length}`, 'Connection: close'));
    assertError(await connection.readResponse(), ERRORS.bodyTooLarge);
    for (let sent = 0; sent < length; sent += MEBIBYTE.length) connection.send(MEBIBYTE);
    connection.socket.end();
    assert.equal(await connection.end(), 'closed'); // a reset would discard a response that is not read yet
  });

  it('that is refused leaves the connection usable for the next request', async () => {
    const connection = await RawConnection.open(proxy.port);
    const body = chatBody('Hello');
    connection.send(head('/v1/nothing', `Content-Length: ${body.length}`) + body);
    assertError(await connection.readResponse(), ERRORS.noSuchPath);
    connection.send(head('/v1/chat/completions', `Content-Length: ${body.length}`) + body);
    assert.equal((await connection.readResponse()).status, 200);
    connection.destroy();
  });

  it('may arrive in several requests at once, each of several MiB', async () => {
    const bodies = [3, 4, 5].map((mebibytes) => chatBodyOf(mebibytes * 1024 * 1024 + mebibytes, '/describe'));
    const responses = await Promise.all(bodies.map((body) => sendRequest(proxy.url, { body })));
    for (const [index, response] of responses.entries()) {
      const body = bodies[index] ?? Buffer.alloc(0);
      const sha256 = createHash('sha256').update(body).digest('hex');
      assert.deepEqual((response.json() as { body: object }).body, { length: body.length, sha256 });
    }
  });

  it('in many small chunks is accepted', async () => {
    const file = join(folder, 'small');
    const body = chatBodyOf(100_000, '/describe');
    writeFileSync(file, body);
    const sent = openRequest(proxy.url, {});
    const response = responseTo(sent);
    createReadStream(file, { highWaterMark: 333 }).pipe(sent);
    const { length } = ((await readResponse(await response)).json() as { body: { length: number } }).body;
    assert.equal(length, 100_000);
  });
});

describe('A request body for a proxy in 256 MiB of memory', () => {
  const scope = perSuite();
  const CONSTRAINED = 'process.constrainedMemory = () => 256 * 1024 * 1024';
  let proxy: ServerProcess;

  before(async () => {
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(CONSTRAINED)}`];
    proxy = await scope.proxy(await scope.enclave(), {}, { nodeArgs });
  });

  it('is accepted if it fits', async () => {
    const body = chatBodyOf(12 * 1024 * 1024, '/describe');
    const response = await sendRequest(proxy.url, { body });
    assert.equal((response.json() as { body: { length: number } }).body.length, body.length);
  });

  it('is refused if it can never fit, with the limit and its reason', async () => {
    const message =
      'The request body is larger than 12 MiB. The proxy may use only 256 MiB of memory: give it more for larger requests.';
    const response = await sendRequest(proxy.url, { body: chatBodyOf(12 * 1024 * 1024 + 1, '/describe') });
    assertError(response, { ...ERRORS.bodyTooLarge, message });
  });
});
