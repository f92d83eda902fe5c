import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { FakeBackend, RECORDS, makeExchange, refusalFields, sendExchange } from '../../support/exchanges.ts';
import type { FakeCall, Fields } from '../../support/fakeTransport.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const CODES = ['session_not_found', 'request_decryption_failed'];
const [CODE = ''] = CODES;
const OCTETS = ['content-type', 'application/octet-stream'] as const;
const CONTRACT = ['x-opensecret-error-contract', '1'] as const;
const REASON = ['x-opensecret-error-code', CODE] as const;

describe('Exchange and the one resend', () => {
  for (const code of CODES) {
    it(`resends after a 400 with ${code}: the same request, in a fresh session, under a fresh id`, async () => {
      const backend = await FakeBackend.ready();
      const old = backend.sessions.current() ?? assert.fail();
      const { call: first, sink } = await sendExchange(backend, '{"model":"m"}');
      const before = await backend.open(first);
      first.respond(400, refusalFields(code));
      const second = await backend.transport.next('the second request');
      const after = await backend.open(second);

      assert.ok(first.isCancelled());
      assert.throws(() => old.beginCall());
      assert.deepEqual(backend.losses, ['rejected']);
      assert.equal(backend.enclaves.length, 2);
      assert.notEqual(second.header('x-session-id'), first.header('x-session-id'));
      assert.notEqual(second.header('x-opensecret-routing-key'), first.header('x-opensecret-routing-key'));
      assert.notEqual(toHex(after.requestId), toHex(before.requestId));
      assert.ok(after.plaintext.equals(before.plaintext));

      const response = backend.enclaveOf(second).respond(after.requestId);
      second.respond(200, RECORDS, response.start(), response.chunk('answer'), response.end());
      assert.deepEqual(sink.received, ['start 200', 'chunk answer', 'end']);
      assert.equal(backend.transport.calls.length, 2);
    });
  }

  it('is never certain again that nothing was sent', async () => {
    const failure = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const isUnsent = async (outcome: (call: FakeCall) => void) => {
      const { call, exchange } = await sendExchange(await FakeBackend.ready());
      outcome(call);
      return exchange.isUnsent;
    };
    const backend = await FakeBackend.ready();
    assert.equal(makeExchange(backend, 'text').exchange.isUnsent, true);
    assert.equal(await isUnsent(() => undefined), false);
    assert.equal(
      await isUnsent(({ handler }) => {
        handler.onError(failure);
      }),
      false,
    );
    assert.equal(
      await isUnsent(({ handler }) => {
        handler.onError(failure, true);
      }),
      true,
    );
    const { call, exchange } = await sendExchange(backend);
    call.respond(400, refusalFields(CODE));
    const second = await backend.transport.next('the second request');
    second.handler.onError(failure, true);
    assert.equal(exchange.isUnsent, false);
  });

  it('resends only once', async () => {
    for (const [firstCode, secondCode] of CODES.flatMap((one) => CODES.map((other) => [one, other] as const))) {
      const backend = await FakeBackend.ready();
      const { call, sink } = await sendExchange(backend);
      call.respond(400, refusalFields(firstCode));
      const second = await backend.transport.next('the second request');
      const rejected = backend.sessions.current() ?? assert.fail();
      second.respond(400, refusalFields(secondCode));
      await flushEventLoop();
      assert.deepEqual(sink.received, ['fail session_rejected']);
      assert.throws(() => rejected.beginCall());
      assert.equal(backend.transport.calls.length, 2);
      assert.ok(second.isCancelled());
    }
  });

  for (const [what, status, fields] of [
    ['a 400 without the error contract headers', 400, [OCTETS]],
    ['a 400 with only the code', 400, [OCTETS, REASON]],
    ['a 400 with only the contract', 400, [OCTETS, CONTRACT]],
    ['a 400 with another contract', 400, [OCTETS, ['x-opensecret-error-contract', '2'], REASON]],
    ['a 400 with contract 01', 400, [OCTETS, ['x-opensecret-error-contract', '01'], REASON]],
    ['a 400 with an empty contract', 400, [OCTETS, ['x-opensecret-error-contract', ''], REASON]],
    ['a 400 with two contract headers', 400, [OCTETS, CONTRACT, CONTRACT, REASON]],
    ['a 400 with two contracts in one header', 400, [OCTETS, ['x-opensecret-error-contract', '1, 1'], REASON]],
    ['a 400 with two code headers', 400, [OCTETS, CONTRACT, REASON, REASON]],
    [
      'a 400 with both codes',
      400,
      [OCTETS, CONTRACT, ...CODES.map((code) => ['x-opensecret-error-code', code] as const)],
    ],
    ['a 400 with both codes in one header', 400, [OCTETS, CONTRACT, ['x-opensecret-error-code', CODES.join(', ')]]],
    ['a 400 with an upper-case code', 400, [OCTETS, CONTRACT, ['x-opensecret-error-code', CODE.toUpperCase()]]],
    ['a 400 with another code', 400, [OCTETS, CONTRACT, ['x-opensecret-error-code', 'upstream_invalid_request']]],
    ['a 400 with an empty code', 400, [OCTETS, CONTRACT, ['x-opensecret-error-code', '']]],
    ...[401, 403, 404, 408, 409, 413, 415, 421, 425, 429, 500, 502, 503, 504, 201, 307].map(
      (status) => [`a ${status} with the error contract headers`, status, [OCTETS, CONTRACT, REASON]] as const,
    ),
  ] satisfies readonly (readonly [string, number, Fields])[]) {
    it(`does not resend after ${what}`, async () => {
      const backend = await FakeBackend.ready();
      const { call, sink } = await sendExchange(backend);
      call.respond(status, fields);
      await flushEventLoop();
      assert.deepEqual(sink.received, ['fail response_status']);
      assert.equal(backend.transport.calls.length, 1);
    });
  }

  it('does not resend after a 200 with the error contract headers, but reads its records', async () => {
    const backend = await FakeBackend.ready();
    const { call, sink } = await sendExchange(backend);
    const response = await backend.respond(call);
    call.respond(200, [OCTETS, CONTRACT, REASON], response.start(), response.end());
    assert.deepEqual(sink.received, ['start 200', 'end']);
    assert.equal(backend.transport.calls.length, 1);
  });

  it('does not resend after a network error, a timeout or a broken response', async () => {
    const failures: readonly ((call: Awaited<ReturnType<typeof sendExchange>>) => void)[] = [
      ({ call }) => {
        call.handler.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      },
      ({ exchange }) => {
        exchange.abort(new SessionError('timeout', 'late'));
      },
      ({ call }) => {
        call.respond(200, RECORDS);
      },
      ({ call }) => {
        call.respond(200, RECORDS, Buffer.alloc(21, 1));
      },
    ];
    for (const fail of failures) {
      const backend = await FakeBackend.ready();
      const sent = await sendExchange(backend);
      fail(sent);
      await flushEventLoop();
      assert.match(sent.sink.received.join(), /^fail /);
      assert.equal(backend.transport.calls.length, 1);
    }
  });

  it('replays a body that was read in part and still arrives', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body, sink } = makeExchange(backend, 'a'.repeat(5000));
    exchange.begin();
    const first = await backend.transport.next('the first request');
    await first.draw();
    await first.draw();
    body.push(Buffer.from('b'.repeat(5000)));
    await first.draw();
    first.respond(400, refusalFields(CODE));
    await assert.rejects(first.draw(), { message: 'The request was cancelled' });

    const second = await backend.transport.next('the second request');
    const opened = backend.open(second);
    body.push(Buffer.from('c'.repeat(5000)));
    await flushEventLoop();
    body.push(Buffer.from('d'));
    body.finish();
    assert.equal((await opened).body.toString(), `${'a'.repeat(5000)}${'b'.repeat(5000)}${'c'.repeat(5000)}d`);
    assert.deepEqual(sink.received, []);
  });

  it('replays a long, complete body byte for byte', async () => {
    const backend = await FakeBackend.ready();
    const chunks = Array.from({ length: 5 }, (_, at) => Buffer.alloc(60_000, at));
    const { exchange, body } = makeExchange(backend, ...chunks);
    body.finish();
    exchange.begin();
    const first = await backend.transport.next('the first request');
    assert.ok((await backend.open(first)).body.equals(Buffer.concat(chunks)));
    first.respond(400, refusalFields(CODE));
    const second = await backend.transport.next('the second request');
    assert.ok((await backend.open(second)).body.equals(Buffer.concat(chunks)));
  });

  it('uses the fresh session of another exchange and does not reject it', async () => {
    const backend = await FakeBackend.ready();
    const sent = [await sendExchange(backend), await sendExchange(backend), await sendExchange(backend)];
    for (const { call } of sent) {
      call.respond(400, refusalFields(CODE));
      const again = await backend.transport.next('a second request');
      assert.equal(backend.enclaveOf(again), backend.enclaves[1]);
    }
    assert.equal(backend.enclaves.length, 2);
    assert.deepEqual(backend.losses, ['rejected']);
  });

  it('makes one session for all exchanges that need a resend', async () => {
    const backend = await FakeBackend.ready();
    const sent = [await sendExchange(backend), await sendExchange(backend), await sendExchange(backend)];
    for (const { call } of sent) call.respond(400, refusalFields(CODE));
    for (const { body } of sent) {
      const opened = await backend.open(await backend.transport.next('a second request'));
      assert.equal(opened.body.length, body.length);
    }
    assert.equal(backend.enclaves.length, 2);
  });

  it('fails with the error of the new handshake and sends nothing', async () => {
    const backend = await FakeBackend.ready();
    const { call, sink } = await sendExchange(backend);
    backend.connect = () => Promise.reject(new SessionError('attestation_refused', 'refused'));
    call.respond(400, refusalFields(CODE));
    await flushEventLoop();
    assert.deepEqual(sink.received, ['fail attestation_refused']);
    assert.equal(backend.transport.calls.length, 1);
  });

  it('does not resend if the client disconnects before the fresh session exists', async () => {
    const backend = await FakeBackend.ready();
    const { call, exchange, sink } = await sendExchange(backend);
    const handshake = Promise.withResolvers<never>();
    backend.connect = () => handshake.promise;
    call.respond(400, refusalFields(CODE));
    exchange.abort(new SessionError('cancelled', 'gone'));
    handshake.resolve(backend.makeSession() as never);
    await flushEventLoop();
    assert.deepEqual(sink.received, ['fail cancelled']);
    assert.equal(backend.transport.calls.length, 1);
  });

  it('ignores everything that still arrives for the first request', async () => {
    const backend = await FakeBackend.ready();
    const { call, sink } = await sendExchange(backend);
    const response = await backend.respond(call);
    call.respond(400, refusalFields(CODE));
    call.respond(400, refusalFields(CODE));
    call.handler.onData(response.start());
    call.handler.onError(new Error('cancelled'));
    const second = await backend.transport.next('the second request');
    call.respond(400, refusalFields(CODE));
    assert.deepEqual(sink.received, []);
    const answer = await backend.respond(second);
    second.respond(200, RECORDS, answer.start(), answer.end());
    assert.deepEqual(sink.received, ['start 200', 'end']);
  });
});
