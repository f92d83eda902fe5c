import assert from 'node:assert/strict';
import { RecordingHandler } from '../../../support/recordingHandler.ts';
import { REQUEST, TransportUnderTest, openBody } from '../../../support/transports.ts';
import { DEADLINE, flushEventLoop, until, withTimeout } from '../../../support/withTimeout.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const MEBIBYTE = 1024 * 1024;

describe('A request of UndiciTransport', () => {
  let test: TransportUnderTest;

  beforeEach(async () => {
    test = await TransportUnderTest.open();
  });

  afterEach(() => test.close());

  describe('that is cancelled', () => {
    it('while it connects sends nothing and closes the connection', async () => {
      const { handler, call } = test.send();
      call.cancel();
      const connection = await test.server.next();
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      assert.equal(connection.received, '');
      assert.deepEqual(handler.events, []);
    });

    it('before its response closes its connection and receives nothing', async () => {
      const { handler, call, connection } = await test.exchange();
      call.cancel();
      call.cancel();
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      assert.deepEqual(handler.events, []);
    });

    it('during its response closes its connection and receives nothing more', async () => {
      const { handler, call, connection } = await test.exchange();
      connection.write(`${OK}content-length: 9\r\n\r\nhalf`);
      await handler.until('data half');
      call.cancel();
      connection.write('more');
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      await flushEventLoop();
      assert.deepEqual(handler.events, ['head 200', 'data half']);
    });

    for (const place of ['head 200', 'data one']) {
      it(`by its own handler at "${place}" receives nothing more of the same chunk`, async () => {
        const { handler, call, connection } = await test.exchange();
        handler.during = (event) => {
          if (event === place) call.cancel();
        };
        connection.write(`${OK}transfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n`);
        await handler.until(place);
        await withTimeout('the connection to close', DEADLINE, connection.closed);
        assert.equal(handler.events.at(-1), place);
      });
    }

    it('during its upload closes its connection', async () => {
      const { body, rest } = openBody('one');
      const { handler, call } = test.send({ body });
      const connection = await test.server.next();
      await connection.take('the first chunk', 'one');
      call.cancel();
      rest.reject(new Error('given up'));
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      await flushEventLoop();
      assert.deepEqual(handler.events, []);
      assert.doesNotMatch(connection.received, /0\r\n\r\n/);
    });

    it('after its end leaves the connection to the next request', async () => {
      const sent = test.send();
      const connection = await test.server.next();
      await test.respond(connection, sent);
      sent.call.cancel();
      await flushEventLoop();
      await test.respond(connection);
      assert.equal(test.server.connections.length, 1);
    });
  });

  describe('that is paused', () => {
    const SIZE = 64 * MEBIBYTE;

    it('makes the backend wait, and continues where it stopped', async () => {
      const { handler, call, connection } = await test.exchange();
      handler.during = (event) => {
        if (event.startsWith('data') && handler.bytes < MEBIBYTE) call.pause();
      };
      connection.write(`${OK}content-length: ${SIZE}\r\n\r\n`);
      for (let sent = 0; sent < SIZE; sent += MEBIBYTE) connection.write(Buffer.alloc(MEBIBYTE, 1));
      const { socket } = connection;
      const taken = () => socket.bytesWritten - socket.writableLength;
      await handler.until('data');
      await until('the backend to be stuck', () => socket.writableLength > 0, taken);
      const received = handler.bytes;
      assert.ok(taken() < SIZE / 2, `${taken()} bytes were taken`);
      await flushEventLoop();
      assert.equal(handler.bytes, received);
      handler.during = () => undefined;
      call.resume();
      await handler.until('end');
      assert.equal(handler.bytes, SIZE);
    });

    it('before its response receives the head, but not the body', async () => {
      const { handler, call, connection } = await test.exchange();
      call.pause();
      connection.write(`${OK}content-length: 4\r\n\r\nbody`);
      await handler.until('head');
      await flushEventLoop();
      assert.deepEqual(handler.events, ['head 200']);
      call.resume();
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data body', 'end']);
    });

    it('before it was sent is sent nevertheless', async () => {
      const { handler, call } = test.send();
      call.pause();
      const connection = await test.server.next();
      await connection.take('the request', 'record');
      connection.write(`${OK}content-length: 4\r\n\r\nbody`);
      await handler.until('head');
      await flushEventLoop();
      assert.deepEqual(handler.events, ['head 200']);
      call.resume();
      await handler.until('end');
      assert.deepEqual(handler.events, ['head 200', 'data body', 'end']);
    });

    it('and resumed before it was sent is not paused', async () => {
      const { handler, call } = test.send();
      call.pause();
      call.resume();
      await test.respond(await test.server.next(), { handler, call });
      assert.deepEqual(handler.events, ['head 200', 'end']);
    });

    it('and resumed immediately loses nothing', async () => {
      const { handler, call, connection } = await test.exchange();
      handler.during = () => {
        call.pause();
        call.resume();
      };
      connection.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      for (const text of ['a', 'b', 'c', 'd']) connection.write(`1\r\n${text}\r\n`);
      connection.write('0\r\n\r\n');
      await handler.until('end');
      assert.equal(handler.events.join(' ').replaceAll(' data ', ''), 'head 200abcd end');
    });

    it('and cancelled closes the connection', async () => {
      const { handler, call, connection } = await test.exchange();
      call.pause();
      connection.write(`${OK}content-length: 4\r\n\r\nbody`);
      await handler.until('head');
      call.cancel();
      await withTimeout('the connection to close', DEADLINE, connection.closed);
      assert.deepEqual(handler.events, ['head 200']);
    });

    it('reads its body only as fast as the connection takes it', async () => {
      let read = 0;
      async function* body(): AsyncGenerator<Uint8Array> {
        for (; read < SIZE; read += MEBIBYTE) yield await Promise.resolve(Buffer.alloc(MEBIBYTE));
      }
      const { call } = test.send({ body: body() });
      const connection = await test.server.next();
      await connection.takeHead();
      connection.socket.pause();
      await until(
        'the body to be stuck',
        () => read > 0,
        () => read,
      );
      assert.ok(read < SIZE / 2, `${read} bytes were read`);
      call.cancel();
    });
  });

  describe('whose response arrives faster than it can be read', () => {
    const SIZE = 8 * MEBIBYTE;
    const RESPONSES = 4;
    /** Two turns of the proxy may fall between two looks of the test. */
    const MOST = 3 * 64 * 1024;
    /** Small chunks, as an enclave sends them. */
    const CHUNK = `40\r\n${'a'.repeat(0x40)}\r\n`;

    it('lets everything else have its turn, and loses nothing', async () => {
      const exchanges = [];
      for (let count = 0; count < RESPONSES; count++) exchanges.push(await test.exchange());
      let [inTurn, most] = [0, 0];
      let watch = setImmediate(function look() {
        most = Math.max(most, inTurn);
        inTurn = 0;
        watch = setImmediate(look);
      });
      const ends = exchanges.map(({ handler, connection }) => {
        const end = new Promise<void>((resolve) => {
          handler.during = (event) => {
            if (event.startsWith('data')) inTurn += 0x40;
            if (event === 'end') resolve();
          };
        });
        connection.write(`${OK}transfer-encoding: chunked\r\n\r\n${CHUNK.repeat(SIZE / 0x40)}0\r\n\r\n`);
        return end;
      });
      await withTimeout('the responses', DEADLINE, Promise.all(ends));
      clearImmediate(watch);
      for (const { handler } of exchanges) assert.equal(handler.bytes, SIZE);
      assert.ok(most <= MOST, `${most} bytes were read in one turn`);
    });
  });

  describe('and its connection', () => {
    it('is reused by the next request', async () => {
      const sent = test.send();
      const connection = await test.server.next();
      await test.respond(connection, sent);
      for (let count = 0; count < 3; count++) await test.respond(connection);
      assert.equal(test.server.connections.length, 1);
    });

    it('is never shared by simultaneous requests', async () => {
      const sent = [test.send(), test.send(), test.send()];
      const connections = [await test.server.next(), await test.server.next(), await test.server.next()];
      for (const connection of connections) {
        await connection.take('the request', 'record');
        assert.equal(connection.received, '');
        connection.write(`${OK}content-length: 0\r\n\r\n`);
      }
      for (const { handler } of sent) await handler.until('end');
    });

    it('is not reused after a renewal, while running requests continue', async () => {
      const idle = test.send();
      const idleConnection = await test.server.next();
      const running = await test.exchange();
      await test.respond(idleConnection, idle);
      running.connection.write(`${OK}content-length: 4\r\n\r\nbo`);
      await running.handler.until('data');

      test.transport.renew();
      const fresh = await test.exchange();
      fresh.connection.write(`${OK}content-length: 0\r\n\r\n`);
      await fresh.handler.until('end');
      running.connection.write('dy');
      await running.handler.until('end');
      assert.deepEqual(running.handler.events, ['head 200', 'data bo', 'data dy', 'end']);
      await withTimeout('the idle connection to close', DEADLINE, idleConnection.closed);
      await withTimeout('the old connection to close', DEADLINE, running.connection.closed);
      assert.equal(test.server.connections.length, 3);
    });

    it('ends when the transport closes', async () => {
      const running = await test.exchange();
      await withTimeout('the transport to close', DEADLINE, test.transport.close());
      await running.handler.until('error');
      await withTimeout('the connection to close', DEADLINE, running.connection.closed);
      assert.equal(running.handler.events.length, 1);
    });
  });

  describe('that cannot be sent', () => {
    it('fails after `send` has returned, if the transport is closed', async () => {
      await test.transport.close();
      const handler = new RecordingHandler();
      let returned = false;
      handler.during = () => {
        assert.ok(returned, 'failed before send had returned');
      };
      test.transport.send(REQUEST, handler);
      returned = true;
      assert.deepEqual(handler.events, []);
      await handler.until('error');
      assert.deepEqual(handler.events, ['error UND_ERR_DESTROYED']);
    });

    it('fails after `send` has returned, if a header is invalid', async () => {
      const { handler } = test.send({ headers: ['x-bad', 'a\nb'] });
      assert.deepEqual(handler.events, []);
      await handler.until('error');
      assert.deepEqual(handler.events, ['error UND_ERR_INVALID_ARG']);
      assert.equal(test.server.connections.length, 0);
    });

    it('receives nothing if it is cancelled immediately', async () => {
      await test.transport.close();
      const { handler, call } = test.send();
      call.cancel();
      await flushEventLoop();
      assert.deepEqual(handler.events, []);
    });
  });
});
