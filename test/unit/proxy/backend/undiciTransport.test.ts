import assert from 'node:assert/strict';
import { UndiciTransport } from '../../../../src/proxy/backend/undiciTransport.ts';
import { RecordingHandler } from '../../../support/recordingHandler.ts';
import { REQUEST, TransportUnderTest, openBody } from '../../../support/transports.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n';

describe('UndiciTransport', () => {
  let test: TransportUnderTest;

  beforeEach(async () => {
    test = await TransportUnderTest.open();
  });

  afterEach(() => test.close());

  describe('sends a request', () => {
    it('with the given headers, those that HTTP needs, and no others', async () => {
      test.send();
      const connection = await test.server.next();
      assert.deepEqual((await connection.takeHead()).split('\r\n'), [
        'POST /v2/request HTTP/1.1',
        `host: 127.0.0.1:${test.server.port}`,
        'connection: keep-alive',
        'content-type: application/octet-stream',
        'x-session-id: ab',
        'content-length: 6',
        '',
        '',
      ]);
      await connection.take('the body', 'record');
      assert.equal(connection.received, '');
    });

    it('under the path of the backend', async () => {
      const based = new UndiciTransport({
        origin: test.server.origin,
        basePath: '/base',
        verified: false,
        loopback: true,
      });
      based.send(REQUEST, new RecordingHandler());
      assert.match(await (await test.server.next()).takeHead(), /^POST \/base\/v2\/request HTTP\/1\.1\r\n/);
      await based.close();
    });

    it('in chunks as soon as they arrive, if the body is a stream', async () => {
      const { body, rest } = openBody('one');
      const { handler } = test.send({ body });
      const connection = await test.server.next();
      assert.match(await connection.takeHead(), /\r\ntransfer-encoding: chunked\r\n/);
      await connection.take('the first chunk', '3\r\none');
      rest.resolve(Buffer.from('two'));
      await connection.take('the second chunk', '3\r\ntwo\r\n0\r\n\r\n');
      connection.write(`${OK}content-length: 0\r\n\r\n`);
      await handler.until('end');
    });

    it('with its length, if the body is a stream of known length', async () => {
      const { body, rest } = openBody('one');
      const { handler } = test.send({ body, length: 6 });
      const connection = await test.server.next();
      const head = await connection.takeHead();
      assert.match(head, /\r\ncontent-length: 6\r\n/);
      assert.doesNotMatch(head, /transfer-encoding/);
      await connection.take('the first chunk', 'one');
      rest.resolve(Buffer.from('two'));
      await connection.take('the second chunk', 'two');
      connection.write(`${OK}content-length: 0\r\n\r\n`);
      await handler.until('end');
      assert.equal(connection.received, '');
    });

    for (const [what, more] of [
      ['shorter', 'tw'],
      ['longer', 'twos'],
    ] as const) {
      it(`that fails if its body is ${what} than its length`, async () => {
        const { body, rest } = openBody('one');
        const { handler } = test.send({ body, length: 6 });
        const connection = await test.server.next();
        await connection.takeHead();
        await connection.take('the first chunk', 'one');
        rest.resolve(Buffer.from(more));
        await handler.until('error');
        assert.deepEqual(handler.events, ['error UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);
        await withTimeout('the connection to close', DEADLINE, connection.closed);
        assert.ok(connection.received.length < 3, 'the request is not complete');
      });
    }

    it('that fails with the error of its body', async () => {
      const failure = new Error('given up');
      const { body, rest } = openBody('one');
      const { handler } = test.send({ body });
      const connection = await test.server.next();
      await connection.take('the first chunk', 'one');
      rest.reject(failure);
      await handler.until('error');
      assert.equal(handler.error, failure);
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      assert.doesNotMatch(connection.received, /0\r\n\r\n$/);
    });
  });

  describe('receives a response', () => {
    it('to its end', async () => {
      const { handler, connection } = await test.exchange();
      connection.write(`${OK}content-length: 6\r\n\r\nans`);
      await handler.until('data ans');
      connection.write('wer');
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data ans', 'data wer', 'end']);
    });

    it('in chunks, without their framing and trailers', async () => {
      const { handler, connection } = await test.exchange();
      connection.write(`${OK}transfer-encoding: chunked\r\n\r\n3\r\none\r\n3;x=y\r\ntwo\r\n0\r\nx-trailer: 1\r\n\r\n`);
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data one', 'data two', 'end']);
    });

    it('that ends when the connection closes', async () => {
      const { handler, connection } = await test.exchange();
      connection.end(`${OK}connection: close\r\n\r\nanswer`);
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data answer', 'end']);
    });

    describe('after informational responses, which are ignored:', () => {
      const marks = 'x-opensecret-error-contract: 1\r\nx-opensecret-error-code: session_not_found\r\n';
      const final = `${OK}content-length: 2\r\n\r\nok`;
      for (const [what, informational] of [
        ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
        ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
        ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
        ['several of 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)],
        ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
        ['103 with headers', `HTTP/1.1 103 Early Hints\r\ncontent-type: text/html\r\n${marks}\r\n`],
        ['100 with headers', `HTTP/1.1 100 Continue\r\ncontent-type: text/html\r\n${marks}connection: close\r\n\r\n`],
        ['103, 100 and 102', 'HTTP/1.1 103 A\r\nx: y\r\n\r\nHTTP/1.1 100 B\r\n\r\nHTTP/1.1 102 C\r\n\r\n'],
      ] as const) {
        it(`${what}, in one write with the final response`, async () => {
          const { handler, connection } = await test.exchange();
          connection.write(informational + final);
          await handler.until('end');
          assert.deepEqual(handler.events, ['head 200', 'data ok', 'end']);
          const [head = assert.fail()] = handler.heads;
          assert.deepEqual(head.values('content-type'), ['application/octet-stream']);
          assert.deepEqual(head.values('x-opensecret-error-code'), []);
        });

        it(`${what}, in writes of their own, again for the next request on the connection`, async () => {
          const first = await test.exchange();
          const { connection } = first;
          let sent = first;
          for (let round = 0; round < 3; round++) {
            connection.write(informational);
            await flushEventLoop();
            assert.deepEqual(sent.handler.events, []);
            connection.write(final);
            await sent.handler.until('end');
            assert.deepEqual(sent.handler.events, ['head 200', 'data ok', 'end']);
            await flushEventLoop();
            if (round === 2) break;
            sent = { ...test.send(), connection };
            await connection.take('the next request', 'record');
          }
          assert.equal(test.server.connections.length, 1);
        });
      }

      it('100 during an upload', async () => {
        const { body, rest } = openBody('one');
        const { handler } = test.send({ body, length: 6 });
        const connection = await test.server.next();
        await connection.take('the first chunk', 'one');
        connection.write('HTTP/1.1 100 Continue\r\n\r\n');
        await flushEventLoop();
        rest.resolve(Buffer.from('two'));
        await connection.take('the second chunk', 'two');
        connection.write(final);
        await handler.until('end');
        assert.deepEqual(handler.events, ['head 200', 'data ok', 'end']);
      });

      it('but not within the body', async () => {
        const { handler, connection } = await test.exchange();
        const text = 'HTTP/1.1 100 Continue\r\n\r\n';
        connection.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: ${2 * text.length}\r\n\r\n${text}`);
        await handler.until('data');
        connection.write(text);
        await handler.until('end');
        assert.equal(handler.events.join(''), `head 200data ${text}data ${text}end`);
      });
    });

    it('with every field line of a name in any spelling', async () => {
      const { handler, connection } = await test.exchange();
      connection.write(
        `HTTP/1.1 400 Bad\r\nContent-Type: a\r\ncontent-type: b\r\nCONTENT-TYPE: a\r\nX-One: 1, 2\r\n\r\n`,
      );
      await handler.until('head');
      const [head = assert.fail()] = handler.heads;
      assert.equal(head.status, 400);
      assert.deepEqual(head.values('content-type'), ['a', 'b', 'a']);
      assert.deepEqual(head.values('x-one'), ['1, 2']);
      assert.deepEqual(head.values('x-none'), []);
    });

    for (const status of [301, 302, 303, 307, 308]) {
      it(`of status ${status} and does not follow the redirect`, async () => {
        const { handler, connection } = await test.exchange();
        connection.write(
          `HTTP/1.1 ${status} Moved\r\nlocation: ${test.server.origin}/else\r\ncontent-length: 0\r\n\r\n`,
        );
        await handler.until('end');
        await flushEventLoop();
        assert.deepEqual(handler.events, [`head ${status}`, 'end']);
        assert.equal(test.server.connections.length, 1);
        assert.equal(connection.received, '');
      });
    }

    it('that comes before the request was sent completely, and closes the connection', async () => {
      const { body, rest } = openBody('one');
      const { handler } = test.send({ body });
      const connection = await test.server.next();
      await connection.take('the first chunk', 'one');
      connection.write(`${OK}content-length: 2\r\n\r\nok`);
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data ok', 'end']);
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      rest.reject(new Error('given up'));
      await flushEventLoop();
      assert.equal(handler.events.at(-1), 'end');
    });
  });
});
