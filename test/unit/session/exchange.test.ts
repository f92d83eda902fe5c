import assert from 'node:assert/strict';
import { encodeMetadata } from '../../../src/session/envelope.ts';
import { SessionError } from '../../../src/session/errors.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import {
  FakeBackend,
  METADATA,
  RECORDS,
  makeExchange,
  refusalFields,
  sendExchange,
  startExchange,
} from '../../support/exchanges.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

type Started = Awaited<ReturnType<typeof startExchange>>;

/** The timeout of a handshake, in milliseconds. */
const HANG = 30_000;

/** Makes every handshake hang until its timeout. Returns the times at which they began. */
function hangingHandshakes(backend: FakeBackend): readonly number[] {
  const begun: number[] = [];
  backend.connect = () => {
    begun.push(backend.clock.monotonic());
    return new Promise((_resolve, reject) => {
      backend.clock.after(HANG, () => {
        reject(new SessionError('timeout', 'The handshake took too long'));
      });
    });
  };
  return begun;
}

describe('Exchange and its request', () => {
  it('sends the request in the same turn if there is a session', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body } = makeExchange(backend, 'text');
    body.finish();
    exchange.begin();
    assert.equal(backend.transport.calls.length, 1);
  });

  it('waits for a session', async () => {
    const backend = new FakeBackend();
    const handshake = Promise.withResolvers<never>();
    backend.connect = () => handshake.promise;
    const { exchange, body } = makeExchange(backend, 'text');
    body.finish();
    assert.equal(exchange.isAcquiring, false);
    exchange.begin();
    assert.equal(exchange.isAcquiring, true);
    await flushEventLoop();
    assert.equal(backend.transport.calls.length, 0);
    handshake.resolve(backend.makeSession() as never);
    const call = await backend.transport.next('the request');
    assert.equal(exchange.isAcquiring, false);
    assert.equal((await backend.open(call)).body.toString(), 'text');
  });

  it('sends nothing and fails with the error of the handshake if there is no session', async () => {
    const backend = new FakeBackend();
    backend.connect = () => Promise.reject(new SessionError('attestation_refused', 'refused'));
    const { exchange, sink } = makeExchange(backend, 'text');
    exchange.begin();
    await flushEventLoop();
    assert.deepEqual(sink.received, ['fail attestation_refused']);
    assert.equal(backend.transport.calls.length, 0);
  });

  it('survives handshakes that time out and sends the request when one succeeds', async () => {
    const backend = new FakeBackend();
    const handshakes = hangingHandshakes(backend);
    const { exchange, body, sink } = makeExchange(backend, 'text');
    body.finish();
    exchange.begin();
    await backend.clock.advance(3 * HANG);
    assert.deepEqual([handshakes.length, sink.received], [3, []]);
    backend.connect = () => Promise.resolve(backend.makeSession());
    await backend.clock.advance(HANG);
    const call = await backend.transport.next('the request');
    assert.equal((await backend.open(call)).body.toString(), 'text');
    assert.deepEqual(sink.received, []);
  });

  it('asks for no further session if it is aborted during a handshake', async () => {
    const backend = new FakeBackend();
    const handshakes = hangingHandshakes(backend);
    const { exchange, sink } = makeExchange(backend, 'text');
    exchange.begin();
    await backend.clock.advance(2.5 * HANG);
    exchange.abort(new SessionError('timeout', 'The backend did not answer in time'));
    assert.deepEqual(sink.received, ['fail timeout']);
    const before = handshakes.length;
    await backend.clock.advance(10 * HANG);
    assert.equal(handshakes.length, before);
    assert.deepEqual(sink.received, ['fail timeout']);
  });

  it('sends exactly the outer headers of the specification', async () => {
    const backend = await FakeBackend.ready();
    const { call } = await sendExchange(backend);
    const session = backend.sessions.current() ?? assert.fail();
    assert.deepEqual([call.request.method, call.request.path], ['POST', '/v2/request']);
    assert.deepEqual(call.request.headers, [
      'content-type',
      'application/octet-stream',
      'x-session-id',
      session.id,
      'x-opensecret-routing-key',
      session.routingKey,
    ]);
  });

  it('seals the metadata and the body, in one chunk or several', async () => {
    const backend = await FakeBackend.ready();
    for (const chunks of [[], [''], ['{"a":1}'], ['{"a"', ':', '1}'], ['x'.repeat(70_000), 'y'.repeat(70_000)]]) {
      const { exchange, body } = makeExchange(backend, ...chunks);
      body.finish();
      exchange.begin();
      const { plaintext } = await backend.open(await backend.transport.next('the request'));
      const expected = Buffer.concat([encodeMetadata(METADATA), Buffer.from(chunks.join(''))]);
      assert.ok(plaintext.equals(expected), `${chunks.length} chunks`);
    }
  });

  it('sends one buffer if the body is complete and at most 64 KiB, else a stream', async () => {
    const backend = await FakeBackend.ready();
    for (const [length, complete, buffered] of [
      [65_536, true, true],
      [65_537, true, false],
      [10, false, false],
      [0, true, true],
    ] as const) {
      const { exchange, body } = makeExchange(backend, new Uint8Array(length));
      if (complete) body.finish();
      exchange.begin();
      const { request } = await backend.transport.next('the request');
      assert.equal(request.body instanceof Uint8Array, buffered, `${length} bytes, complete: ${complete}`);
    }
  });

  it('states the length of a streamed record if the client announced it, or the body is complete', async () => {
    const backend = await FakeBackend.ready();
    const metadata = encodeMetadata(METADATA).length;
    for (const [announced, complete, length] of [
      [12_000, false, 12_000],
      [undefined, false, undefined],
      [undefined, true, 70_000],
      [70_000, true, 70_000],
    ] as const) {
      const { exchange, body } = makeExchange(backend, new Uint8Array(complete ? 70_000 : 5000));
      body.announce(announced);
      if (complete) body.finish();
      exchange.begin();
      const call = await backend.transport.next('the request');
      assert.equal(call.request.length, length === undefined ? undefined : 16 + metadata + length + 16);
      if (!complete) body.push(new Uint8Array(7000));
      body.finish();
      assert.equal((await call.body()).length, 16 + metadata + (complete ? 70_000 : 12_000) + 16);
    }
  });

  for (const [what, length] of [
    ['shorter', 11_999],
    ['longer', 12_001],
  ] as const) {
    it(`never completes the record of a body that is ${what} than announced`, async () => {
      const backend = await FakeBackend.ready();
      const { exchange, body } = makeExchange(backend, new Uint8Array(5000));
      body.announce(12_000);
      exchange.begin();
      const call = await backend.transport.next('the request');
      body.push(new Uint8Array(length - 5000));
      body.finish();
      await assert.rejects(call.body(), { message: 'The body does not have the announced length' });
    });
  }

  it('states the same length when it sends the request again', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body } = makeExchange(backend, new Uint8Array(5000));
    body.announce(12_000);
    exchange.begin();
    const first = await backend.transport.next('the request');
    await first.draw();
    first.respond(400, refusalFields('session_not_found'));
    const second = await backend.transport.next('the second request');
    assert.equal(second.request.length, first.request.length);
    body.push(new Uint8Array(7000));
    body.finish();
    assert.equal((await second.body()).length, first.request.length);
  });

  it('seals each chunk of an arriving body when the connection reads it', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body } = makeExchange(backend, new Uint8Array(5000));
    exchange.begin();
    const call = await backend.transport.next('the request');
    const drawn = [await call.draw(), await call.draw()];
    assert.equal(drawn[1]?.length, 5000);
    body.push(new Uint8Array(6000));
    drawn.push(await call.draw());
    assert.equal(drawn[2]?.length, 6000);
    const last = call.draw();
    await flushEventLoop();
    body.finish();
    drawn.push(await last);
    assert.equal(await call.draw(), undefined);
    const record = Buffer.concat(drawn.map((chunk) => chunk ?? assert.fail()));
    assert.equal(backend.enclaveOf(call).open(record).body.length, 11_000);
  });

  it('fails if the arriving body exceeds 50 MiB', async () => {
    const backend = await FakeBackend.ready();
    const mebibyte = new Uint8Array(1024 * 1024);
    const { exchange, body, sink } = makeExchange(backend, ...Array.from({ length: 50 }, () => mebibyte));
    exchange.begin();
    const call = await backend.transport.next('the request');
    for (let chunks = 0; chunks < 51; chunks++) await call.draw();
    body.push(Uint8Array.of(1));
    await assert.rejects(call.draw(), (error: unknown) => {
      call.handler.onError(error);
      return true;
    });
    assert.deepEqual(sink.received, ['fail request_too_large']);
  });

  it('overwrites the metadata when it ends', async () => {
    const backend = await FakeBackend.ready();
    const ended = await startExchange(backend);
    ended.call.handler.onData(ended.response.end());
    assert.ok(ended.metadata.some((byte) => byte !== 0));
    ended.call.handler.onEnd();
    const failed = await startExchange(backend);
    failed.call.handler.onError(new Error('reset'));
    for (const { metadata } of [ended, failed]) assert.match(toHex(metadata), /^0+$/);
  });
});

describe('Exchange and its response', () => {
  it('passes the response on to its end', async () => {
    const { call, sink, response } = await startExchange(await FakeBackend.ready());
    call.handler.onData(Buffer.concat([response.chunk('one'), response.chunk('two')]));
    call.handler.onData(response.end());
    assert.deepEqual(sink.received, ['start 200', 'chunk one', 'chunk two']);
    call.handler.onEnd();
    assert.deepEqual(sink.received, ['start 200', 'chunk one', 'chunk two', 'end']);
    assert.equal(call.isCancelled(), false);
  });

  it('passes on each record as it arrives', async () => {
    const { call, sink, response } = await startExchange(await FakeBackend.ready());
    for (const text of ['a', 'b', 'c']) {
      const frame = response.chunk(text);
      call.handler.onData(frame.subarray(0, -1));
      const before = sink.received.length;
      call.handler.onData(frame.subarray(-1));
      assert.equal(sink.received.length, before + 1);
    }
  });

  it('accepts a complete response before the end of the body and stops reading the body', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, sink } = makeExchange(backend, 'first part');
    exchange.begin();
    const call = await backend.transport.next('the request');
    const response = await backend.respond(call);
    await call.draw();
    const stuck = assert.rejects(call.draw(), { message: 'The request was cancelled' });
    call.respond(200, RECORDS, response.start(413), response.end());
    await stuck;
    assert.deepEqual(sink.received, ['start 413', 'end']);
  });

  it('releases the body when the response starts', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body, sink } = makeExchange(backend, new Uint8Array(5000), new Uint8Array(5000));
    exchange.begin();
    const call = await backend.transport.next('the request');
    const response = await backend.respond(call);
    await call.draw();
    await call.draw();
    call.begin(200, RECORDS);
    assert.equal(body.chunks().length, 2);
    call.handler.onData(response.start());
    assert.deepEqual(sink.received, ['start 200']);
    assert.ok(body.chunks().length < 2);
    body.push(new Uint8Array(5000));
    body.push(new Uint8Array(5000));
    for (let chunks = 0; chunks < 2; chunks++) assert.equal((await call.draw())?.length, 5000);
    assert.ok(body.chunks().length < 2);
  });

  for (const status of [100, 201, 204, 206, 301, 302, 307, 400, 401, 404, 413, 415, 429, 500, 502, 503]) {
    it(`fails on outer status ${status}, regardless of the body`, async () => {
      const backend = await FakeBackend.ready();
      const { call, sink } = await sendExchange(backend);
      const response = await backend.respond(call);
      call.respond(status, RECORDS, response.start(), response.end());
      assert.deepEqual(sink.received, ['fail response_status']);
      assert.ok(call.isCancelled());
      assert.equal(backend.transport.calls.length, 1);
    });
  }

  for (const [what, fields] of [
    ['no content type', []],
    ['the type of JSON', [['content-type', 'application/json']]],
    ['a parameter', [['content-type', 'application/octet-stream; x=1']]],
    ['an upper-case content type', [['content-type', 'Application/Octet-Stream']]],
    ['a repeated content type', [...RECORDS, ...RECORDS]],
    ['a second, different content type', [...RECORDS, ['content-type', 'text/html']]],
  ] as const) {
    it(`fails on an outer response with ${what}`, async () => {
      const backend = await FakeBackend.ready();
      const { call, sink } = await sendExchange(backend);
      const response = await backend.respond(call);
      call.respond(200, fields, response.start(), response.end());
      assert.deepEqual(sink.received, ['fail response_content_type']);
      assert.ok(call.isCancelled());
    });
  }

  it('fails if the connection breaks before or after the start', async () => {
    const backend = await FakeBackend.ready();
    const { call, sink } = await sendExchange(backend);
    call.handler.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.deepEqual(sink.received, ['fail network']);
    const later = await startExchange(backend);
    later.call.handler.onData(later.response.chunk('one'));
    later.call.handler.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.deepEqual(later.sink.received, ['start 200', 'chunk one', 'fail network']);
    assert.match(later.sink.failure?.message ?? '', /ECONNRESET/);
  });

  for (const [what, code, breakIt] of [
    ['ends inside a record', 'truncated', ({ response }) => response.chunk('two').subarray(0, 5)],
    ['ends without an End', 'truncated', ({ response }) => response.chunk('')],
    ['has a second Start', 'record_order', ({ response }) => response.start()],
    ['has a byte after the End', 'record_order', ({ response }) => Buffer.concat([response.end(), Buffer.of(0)])],
    ['has an End with content', 'record_malformed', ({ response }) => response.frame(3, 'x')],
    ['has a record of 3 bytes', 'record_length', () => Buffer.of(0, 0, 0, 3)],
    ['has a forged record', 'record_authentication', () => Buffer.concat([Buffer.of(0, 0, 0, 17), Buffer.alloc(17)])],
    ['is broken off by the enclave', 'enclave_error', ({ response }) => response.error('upstream_timeout')],
  ] satisfies readonly (readonly [string, string, (exchange: Started) => Buffer])[]) {
    it(`passes on the verified records of a response that ${what}, then fails`, async () => {
      const started = await startExchange(await FakeBackend.ready());
      const { call, sink, response } = started;
      call.handler.onData(response.chunk('one'));
      call.handler.onData(breakIt(started));
      call.handler.onEnd();
      assert.deepEqual(
        sink.received.filter((words) => words !== 'chunk '),
        ['start 200', 'chunk one', `fail ${code}`],
      );
      assert.ok(call.isCancelled());
    });
  }
});
