// The length that a client announces: the enclave learns it, and only a body of exactly this length is a request.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { beginUpload } from '../support/e2e/rawHttp.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';
import type { TcpRecorder } from '../support/e2e/tcpRecorder.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const MIB = 1024 * 1024;

describe('An upload', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let recorder: TcpRecorder;
  let proxy: ServerProcess;

  before(async () => {
    enclave = await scope.enclave();
    recorder = await scope.recorder(enclave);
    proxy = await scope.proxy(recorder);
    await proxy.logged('session');
  });

  const begin = (framing: string, part: string | Uint8Array) => beginUpload(proxy.port, framing, part);

  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  /** Sends 2 MiB of a body in two parts, the second one when the first has reached the enclave. */
  const upload = async (framing: string, frame: (part: Buffer) => Buffer, end: string) => {
    const body = chatBodyOf(2 * MIB, '/describe');
    const index = enclave.journal.requests.length;
    const carrying = recorder.carrying(MIB / 2);
    const client = await begin(framing, frame(body.subarray(0, MIB)));
    await carrying;
    client.send(frame(body.subarray(MIB)));
    client.send(end);
    assert.equal((await client.readResponse()).status, 200);
    client.destroy();
    const request = enclave.journal.requests[index] ?? assert.fail();
    assert.deepEqual([request.body_length, request.body_sha256], [body.length, sha256(body)]);
    return request.outer;
  };

  it('of announced length is sent with the length of its record', async () => {
    const index = recorder.connections.items.length;
    const { framing, content_length: length } = await upload(`Content-Length: ${2 * MIB}`, (part) => part, '');
    assert.equal(framing, 'content-length');
    const sent = Buffer.concat(recorder.connections.items.slice(Math.max(0, index - 1)).flatMap((one) => one.sent));
    const start = sent.lastIndexOf('POST /v2/request ');
    const record = sent.subarray(sent.indexOf('\r\n\r\n', start) + 4);
    assert.equal(record.length, length);
    assert.ok((length ?? 0) > 2 * MIB + 36, `${length} bytes`);
  });

  it('without announced length is sent in chunks', async () => {
    const chunk = (part: Buffer) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const { framing, content_length: length } = await upload('Transfer-Encoding: chunked', chunk, '0\r\n\r\n');
    assert.deepEqual([framing, length], ['chunked', null]);
  });

  it('that ends before its announced length is not a request', async () => {
    const requests = enclave.journal.requests.length;
    const carrying = recorder.carrying(MIB / 2);
    const client = await begin(`Content-Length: ${2 * MIB}`, chatBodyOf(2 * MIB, '/describe').subarray(0, 2 * MIB - 1));
    const { closed } = await carrying;
    client.socket.end();
    await withTimeout('the end of the connection to the enclave', DEADLINE, closed);
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    assert.equal(enclave.journal.requests.length, requests + 1);
  });

  it('with more bytes than announced is a request of the announced length, and the rest is the next request', async () => {
    const body = chatBodyOf(2 * MIB, '/describe');
    const index = enclave.journal.requests.length;
    const next = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\n\r\n`;
    const client = await begin(`Content-Length: ${body.length}`, Buffer.concat([body, Buffer.from(next)]));
    const described = (await client.readResponse()).json() as { body: object };
    assert.deepEqual(described.body, { length: body.length, sha256: sha256(body) });
    assert.equal((await client.readResponse()).status, 200);
    client.destroy();
    assert.equal(enclave.journal.requests.length, index + 1);
  });
});
