// The time limits of one relayed request, in cases that need a scripted backend.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { SessionError } from '../../../../src/session/errors.ts';
import { MAX_CHUNK } from '../../../../src/session/wire.ts';
import { timed } from '../../../support/e2e/stopwatch.ts';
import { FakeBackend, RECORDS } from '../../../support/exchanges.ts';
import { RelaysUnderTest } from '../../../support/relays.ts';
import { DEADLINE, until, withTimeout } from '../../../support/withTimeout.ts';

/** In milliseconds. What must not take as long as the first one takes a small part of it. */
const [IDLE, REQUEST] = [3000, 900];
const STEP = IDLE / 6;
const TIMEOUTS = { streamIdleTimeout: IDLE, requestTimeout: REQUEST };
const CHUNK = '5\r\nhello\r\n';
const LAST = '0\r\n\r\n';
const MIB = 1024 * 1024;
/** The largest one. */
const RECORD = Buffer.alloc(MAX_CHUNK, 'x');

describe('Relay of a response that starts before the upload ends', () => {
  let relays: RelaysUnderTest;

  beforeEach(async () => {
    relays = await RelaysUnderTest.open();
    relays.timeouts = TIMEOUTS;
  });

  afterEach(() => relays.close());

  /** Begins an upload and its response. */
  const begin = async () => {
    const connection = await relays.begin();
    connection.send(CHUNK);
    const call = await relays.backend.transport.next('the request');
    const response = await relays.backend.respond(call);
    call.begin(200, RECORDS);
    call.handler.onData(Buffer.concat([response.start(), response.chunk('one')]));
    await connection.until('one');
    return { connection, call, response };
  };

  it('continues as long as the upload makes progress', async () => {
    const { connection, call, response } = await begin();
    for (let passed = 0; passed < 1.2 * IDLE; passed += STEP) {
      await delay(STEP);
      connection.send(CHUNK);
    }
    connection.send(LAST);
    call.handler.onData(Buffer.concat([response.chunk('two'), response.end()]));
    call.handler.onEnd();
    assert.equal((await connection.readResponse()).body.toString(), 'onetwo');
    assert.equal((await relays.end()).end, 'complete');
  });

  it('breaks when the upload stalls', async () => {
    const { result: call, milliseconds } = await timed(async () => {
      const begun = await begin();
      await begun.connection.end();
      return begun.call;
    });
    assert.ok(milliseconds > IDLE - 20, `${milliseconds} ms`);
    assert.equal((await relays.end()).end, 'upload_timeout');
    assert.ok(call.isCancelled());
  });

  it('has the request timeout from the end of the upload on', async () => {
    const { connection, call } = await begin();
    await delay(REQUEST / 2);
    const { milliseconds } = await timed(() => {
      connection.send(LAST);
      return connection.end();
    });
    assert.ok(milliseconds > REQUEST - 20, `${milliseconds} ms`);
    assert.equal((await relays.end()).end, 'timeout');
    assert.ok(call.isCancelled());
  });
});

describe('Relay during a handshake that times out', () => {
  let relays: RelaysUnderTest;

  afterEach(() => relays.close());

  it('retries the handshake, and answers with 504 only after the request timeout', async () => {
    const backend = new FakeBackend();
    backend.connect = () => Promise.reject(new SessionError('timeout', 'The handshake took too long'));
    relays = await RelaysUnderTest.open(backend);
    relays.timeouts = TIMEOUTS;
    const connection = await relays.begin('Content-Length: 5');
    const { result, milliseconds } = await timed(() => {
      connection.send('hello');
      return connection.readResponse();
    });
    assert.equal(result.status, 504);
    assert.ok(milliseconds > REQUEST - 20, `${milliseconds} ms`);
  });
});

describe('Relay of a stream that its client does not read', () => {
  let relays: RelaysUnderTest;

  beforeEach(async () => {
    relays = await RelaysUnderTest.open();
    relays.readTimeout = IDLE;
  });

  afterEach(() => relays.close());

  /** Begins a stream whose client stops reading, and fills every buffer on the way, with this much to spare. */
  const fill = async (more: number) => {
    const connection = await relays.begin('Content-Length: 5');
    connection.send('hello');
    const call = await relays.backend.transport.next('the request');
    const response = await relays.backend.respond(call);
    call.begin(200, RECORDS);
    call.handler.onData(response.start(200, [{ name: 'content-type', value: 'text/event-stream' }]));
    await connection.until('200 OK');
    connection.socket.pause();
    const isPaused = () => call.flow.at(-1) === 'pause';
    const send = (count: number) => {
      call.handler.onData(Buffer.concat(Array.from({ length: count }, () => response.chunk(RECORD))));
    };
    const fillOn = () => {
      if (!isPaused()) send(16);
      return isPaused();
    };
    await until('full buffers', fillOn, () => call.flow.length);
    send(more);
    return { connection, call, response };
  };

  it('breaks when the client has taken nothing for too long, and gives back its place', async () => {
    const { call } = await fill(0);
    assert.equal((await relays.end()).end, 'read_timeout');
    assert.ok(call.isCancelled());
    assert.deepEqual(relays.limits.held, { requests: 0, bytes: 0 });
  });

  it('continues while the client reads slowly', async () => {
    const { connection, call, response } = await fill(512);
    const { socket } = connection;
    const paused = call.flow.length;
    let read = 0;
    socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
      connection.discard();
    });
    for (let passed = 0; passed < 2.1 * IDLE; passed += STEP) {
      await delay(STEP);
      socket.resume();
      for (const enough = read + MIB; read < enough;) {
        await withTimeout('more of the stream', DEADLINE, once(socket, 'data'));
      }
      socket.pause();
    }
    assert.equal(call.flow.length, paused, 'The stream is still paused');
    assert.equal(call.isCancelled(), false);
    call.handler.onData(response.end());
    call.handler.onEnd();
    socket.resume();
    assert.equal((await relays.end()).end, 'complete');
  });
});
