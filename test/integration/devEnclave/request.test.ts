import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { encodeMetadata } from '../../../src/session/envelope.ts';
import type { Session } from '../../../src/session/session.ts';
import { MAX_RECORD } from '../../../src/session/wire.ts';
import {
  METADATA,
  collect,
  connect,
  openAnswer,
  outerHeaders,
  seal,
  sealPlaintext,
  send,
  sendRecord,
} from '../../support/devEnclave/client.ts';
import type { OuterAnswer } from '../../support/devEnclave/client.ts';
import { useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const CONTRACT = 'x-opensecret-error-contract';
const CODE = 'x-opensecret-error-code';
const CHAT = Buffer.from(JSON.stringify({ model: 'llama3-3-70b', messages: [{ role: 'user', content: 'hello' }] }));

describe('Encrypted requests', () => {
  const start = useEnclaves();
  let enclave: RunningEnclave;
  let session: Session;

  async function begin(options?: Parameters<typeof start>[0]): Promise<void> {
    enclave = await start(options);
    session = await connect(enclave.url);
  }

  /** An upload whose body the test sends. */
  function open(headers: OutgoingHttpHeaders = {}): { request: ClientRequest; answer: Promise<IncomingMessage> } {
    const options = { method: 'POST', agent: false, headers: { ...outerHeaders(session), ...headers } };
    const request = httpRequest(`${enclave.url}/v2/request`, options);
    const answer = once(request, 'response').then(([message]) => message as IncomingMessage);
    answer.catch(() => undefined); // not awaited by tests that abort
    return { request, answer };
  }

  function isPlainError({ status, headers, body }: OuterAnswer, expected: number): void {
    assert.equal(status, expected, body.toString());
    assert.equal(headers[CONTRACT], undefined);
    assert.equal(headers[CODE], undefined);
  }

  function isResendError({ status, headers }: OuterAnswer, code: string): void {
    assert.equal(status, 400);
    assert.deepEqual(headers[CONTRACT], ['1']);
    assert.deepEqual(headers[CODE], [code]);
  }

  async function sendSealed(plaintext: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<OuterAnswer> {
    return collect(await sendRecord(enclave.url, session, sealPlaintext(session, plaintext).record, headers));
  }

  const validPlaintext = () => Buffer.concat([encodeMetadata(METADATA), CHAT]);

  describe('to the development enclave', () => {
    beforeEach(() => begin());

    it('are answered inside the envelope, regardless of the inner status', async () => {
      const { record, opener } = seal(session, { credential: 'nobody' }, CHAT);
      const outer = await collect(await sendRecord(enclave.url, session, record));
      assert.equal(outer.status, 200);
      assert.deepEqual(outer.headers['content-type'], ['application/octet-stream']);
      assert.equal(openAnswer(opener, outer.body).status, 401);
    });

    it('may have no content-length', async () => {
      const { record, opener } = seal(session, {}, CHAT);
      const { request, answer } = open();
      request.write(record.subarray(0, 10));
      request.end(record.subarray(10));
      const outer = await collect(await withTimeout('the answer', DEADLINE, answer));
      assert.equal(openAnswer(opener, outer.body).status, 200);
    });

    const refused: [string, OutgoingHttpHeaders][] = [
      ['another content type', { 'content-type': 'application/json' }],
      ['a content type with a parameter', { 'content-type': 'application/octet-stream; a=1' }],
      ['an authorization header', { authorization: 'Bearer dev-key' }],
      ['a cookie', { cookie: 'a=1' }],
      ['a content encoding', { 'content-encoding': 'gzip' }],
      ['an upper-case session id', { 'x-session-id': 'A'.repeat(32) }],
      ['two session ids', { 'x-session-id': ['a'.repeat(32), 'a'.repeat(32)] }],
      ['an invalid routing key', { 'x-opensecret-routing-key': 'key' }],
      ['the routing key of another session', { 'x-opensecret-routing-key': randomBytes(32).toString('base64') }],
    ];
    for (const [what, headers] of refused) {
      it(`are rejected with ${what}`, async () => {
        isPlainError(await sendSealed(validPlaintext(), headers), 400);
      });
    }

    it('are rejected with another method or a query', async () => {
      const headers = outerHeaders(session);
      const { record } = seal(session, {}, CHAT);
      isPlainError(await collect(await send(`${enclave.url}/v2/request?a`, { headers, body: record })), 400);
      isPlainError(
        await collect(await send(`${enclave.url}/v2/request`, { method: 'PUT', headers, body: record })),
        400,
      );
    });

    it('are rejected without a resend code if their id was already used', async () => {
      const { record, opener } = seal(session, {}, CHAT);
      const first = await collect(await sendRecord(enclave.url, session, record));
      assert.equal(openAnswer(opener, first.body).status, 200);
      isPlainError(await collect(await sendRecord(enclave.url, session, record)), 400);
      assert.equal(enclave.journal.requests.length, 1);
    });

    it('are rejected without a resend code if their metadata is malformed', async () => {
      isPlainError(await sendSealed(Buffer.from('vector plaintext')), 400);
    });

    it('are rejected with request_decryption_failed if they are not authentic', async () => {
      const { record } = seal(session, {}, CHAT);
      record[20] = (record[20] ?? 0) ^ 1;
      isResendError(await collect(await sendRecord(enclave.url, session, record)), 'request_decryption_failed');
      isResendError(await collect(await sendRecord(enclave.url, session, Buffer.of())), 'request_decryption_failed');
    });

    it('are rejected with session_not_found if the session is unknown', async () => {
      enclave.dropSessions();
      isResendError(await sendSealed(validPlaintext()), 'session_not_found');
    });
  });

  describe('and their length', () => {
    beforeEach(() => begin({ handler: answerLength }));

    const answerLength: ApiHandler = (request, response) => {
      response.start({ status: 200, headers: [] });
      response.write(Buffer.from(String(request.body?.length)));
      response.end();
      return Promise.resolve();
    };

    it('may have 52,559,908 bytes', async () => {
      const metadata = encodeMetadata(METADATA).subarray(4);
      const plaintext = Buffer.alloc(4 + 131_072 + 52_428_800, ' ');
      plaintext.writeUInt32BE(131_072);
      plaintext.set(metadata, 4);
      const { record, opener } = sealPlaintext(session, plaintext);
      assert.equal(record.length, MAX_RECORD);
      const outer = await collect(await sendRecord(enclave.url, session, record));
      assert.equal(openAnswer(opener, outer.body).body.toString(), '52428800');
    });

    it('are rejected by their content-length before the body arrives', async () => {
      const { request, answer } = open({ 'content-length': MAX_RECORD + 1 });
      request.on('error', () => undefined);
      request.flushHeaders();
      isPlainError(await collect(await withTimeout('the answer', DEADLINE, answer)), 413);
      request.destroy();
    });

    it('are rejected when the body exceeds the limit without a content-length', async () => {
      const { request, answer } = open();
      request.write(Buffer.alloc(MAX_RECORD));
      request.write(Buffer.alloc(1));
      isPlainError(await collect(await withTimeout('the answer', DEADLINE, answer)), 413);
      request.end();
      await withTimeout('the rest of the upload', DEADLINE, once(request, 'close'));
    });
  });

  describe('and early responses', () => {
    for (const connection of ['keep-alive', 'close']) {
      it(`can still be sent completely after the response (${connection})`, async () => {
        await begin();
        enclave.dropSessions();
        const socket = connectTcp(enclave.port, '127.0.0.1');
        const failed = once(socket, 'close').then(() => assert.fail('the connection broke'));
        const received: Buffer[] = [];
        const answered = new Promise<void>((resolve) => {
          socket.on('data', (chunk) => {
            received.push(chunk);
            if (Buffer.concat(received).includes('expired"}')) resolve();
          });
        });
        const headers = { ...outerHeaders(session), host: 'enclave', connection, 'content-length': 8_000_001 };
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`POST /v2/request HTTP/1.1\r\n${lines.join('')}\r\nx`);
        await withTimeout('the early answer', DEADLINE, Promise.race([answered, failed]));
        assert.match(Buffer.concat(received).toString(), /^HTTP\/1.1 400 .*session_not_found/s);
        const sent = new Promise<void>((resolve, reject) => {
          socket.write(Buffer.alloc(8_000_000), (error) => {
            if (error) reject(error);
            else resolve();
          });
        });
        await withTimeout('the rest of the upload', DEADLINE, Promise.race([sent, failed]));
        failed.catch(() => undefined);
        socket.destroy();
      });
    }
  });

  describe('and the lifetime of a session', () => {
    it('are accepted for 3,600 s from its creation, even if it is in use', async () => {
      let now = Date.now();
      await begin({ clock: () => now });
      for (const seconds of [3000, 599]) {
        now += seconds * 1000;
        assert.equal((await sendSealed(validPlaintext())).status, 200);
      }
      now += 999;
      assert.equal((await sendSealed(validPlaintext())).status, 200);
      now += 1;
      isResendError(await sendSealed(validPlaintext()), 'session_not_found');
    });

    it('receive complete responses that began before it expired', async () => {
      let now = Date.now();
      let goOn: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await begin({
        clock: () => now,
        handler: async (_request, response) => {
          response.start({ status: 200, headers: [] });
          await gate;
          response.write(Buffer.from('late'));
          response.end();
        },
      });
      const { record, opener } = seal(session, {}, CHAT);
      const message = await sendRecord(enclave.url, session, record);
      now += 3_600_000;
      enclave.dropSessions();
      goOn();
      assert.equal(openAnswer(opener, (await collect(message)).body).body.toString(), 'late');
    });
  });
});
