import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import type { Hkdf } from '../../../src/session/hkdf.ts';
import type { Primitives } from '../../../src/session/session.ts';
import {
  FakeBackend,
  RECORDS,
  makeExchange,
  refusalFields,
  sendExchange,
  startExchange,
} from '../../support/exchanges.ts';
import { ALL_PRIMITIVES, makeSessionPair } from '../../support/sessions.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const GONE = new SessionError('cancelled', 'The client disconnected');

/** Makes sessions and collects every key that they derive. */
function watchedSessions(backend: FakeBackend, { aead, hkdf }: Primitives) {
  const derived: Uint8Array[] = [];
  const watched: Hkdf = {
    ...hkdf,
    expander: (prk) => {
      const expander = hkdf.expander(prk);
      return {
        expand: (...input) => {
          const key = expander.expand(...input);
          derived.push(key);
          return key;
        },
        destroy: () => {
          expander.destroy();
        },
      };
    },
  };
  const connect = () => {
    const { session, enclave } = makeSessionPair({ aead, hkdf: watched });
    backend.enclaves.push(enclave);
    return Promise.resolve(session);
  };
  return { derived, connect };
}

function isWiped(key: Uint8Array): boolean {
  return key.every((byte) => byte === 0);
}

describe('Exchange.abort()', () => {
  it('sends nothing before there is a session', async () => {
    const backend = new FakeBackend();
    const { exchange, sink } = makeExchange(backend, 'text');
    exchange.begin();
    exchange.abort(GONE);
    await flushEventLoop();
    assert.deepEqual(sink.received, ['fail cancelled']);
    assert.equal(sink.failure, GONE);
    assert.equal(backend.transport.calls.length, 0);
  });

  it('fails an exchange that was not begun, which then never begins', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, sink } = makeExchange(backend, 'text');
    exchange.abort(GONE);
    exchange.begin();
    await flushEventLoop();
    assert.deepEqual(sink.received, ['fail cancelled']);
    assert.equal(backend.transport.calls.length, 0);
  });

  it('cancels the request to the backend and stops reading the body', async () => {
    const backend = await FakeBackend.ready();
    const { exchange, body, sink } = makeExchange(backend, 'text');
    exchange.begin();
    const call = await backend.transport.next('the request');
    await call.draw();
    await call.draw();
    const waiting = assert.rejects(call.draw(), { message: 'The request was cancelled' });
    await flushEventLoop();
    exchange.abort(GONE);
    await waiting;
    assert.ok(call.isCancelled());
    assert.deepEqual(sink.received, ['fail cancelled']);
    assert.deepEqual(body.chunks(), []);
  });

  it('seals no record if nothing was read before', async () => {
    const backend = await FakeBackend.ready();
    const { exchange } = makeExchange(backend, 'text');
    exchange.begin();
    const call = await backend.transport.next('the request');
    exchange.abort(GONE);
    await assert.rejects(call.body(), { message: 'The key of this record was already used' });
  });

  for (const [label, primitives] of ALL_PRIMITIVES) {
    it(`overwrites the keys of the request at every stage: ${label}`, async () => {
      for (const drawn of [0, 1, 2, 3]) {
        const backend = new FakeBackend();
        const { connect, derived } = watchedSessions(backend, primitives);
        backend.connect = connect;
        await backend.sessions.acquire();
        derived.length = 0;
        const { exchange, body } = makeExchange(backend, 'a'.repeat(5000), 'b'.repeat(5000));
        exchange.begin();
        const call = await backend.transport.next('the request');
        for (let count = 0; count < drawn; count++) await call.draw();
        assert.deepEqual(derived.map(isWiped), [drawn > 0, false]);
        exchange.abort(GONE);
        assert.deepEqual(derived.map(isWiped), [true, true], `${drawn} chunks`);
        await assert.rejects(call.draw());
        assert.deepEqual(body.chunks(), []);
      }
    });

    it(`overwrites the keys of both attempts after a resend: ${label}`, async () => {
      for (const drawn of [0, 1, 2]) {
        const backend = new FakeBackend();
        const { connect, derived } = watchedSessions(backend, primitives);
        backend.connect = connect;
        await backend.sessions.acquire();
        await backend.clock.advance(1000);
        derived.length = 0;
        const { exchange } = makeExchange(backend, 'a'.repeat(5000));
        exchange.begin();
        const call = await backend.transport.next('the request');
        for (let count = 0; count < drawn; count++) await call.draw();
        call.begin(400, refusalFields('session_not_found'));
        assert.deepEqual(derived.slice(0, 2).map(isWiped), [true, true]);
        await backend.transport.next('the second request');
        exchange.abort(GONE);
        assert.deepEqual(derived.slice(-2).map(isWiped), [true, true]);
      }
    });
  }

  it('cancels the request to the backend during the response', async () => {
    const { call, exchange, response, sink } = await startExchange(await FakeBackend.ready());
    exchange.abort(GONE);
    assert.ok(call.isCancelled());
    call.handler.onData(response.chunk('late'));
    call.handler.onEnd();
    call.handler.onError(new Error('cancelled'));
    assert.deepEqual(sink.received, ['start 200', 'fail cancelled']);
  });

  it('fails once, with the first error', async () => {
    const { exchange, sink } = await sendExchange(await FakeBackend.ready());
    exchange.abort(GONE);
    exchange.abort(new SessionError('timeout', 'late'));
    assert.deepEqual(sink.received, ['fail cancelled']);
  });

  it('has no effect after the end', async () => {
    const { call, exchange, response, sink } = await startExchange(await FakeBackend.ready());
    call.handler.onData(response.end());
    call.handler.onEnd();
    exchange.abort(GONE);
    assert.deepEqual(sink.received, ['start 200', 'end']);
    assert.equal(call.isCancelled(), false);
  });

  for (const place of ['start 200', 'chunk one']) {
    it(`passes on nothing more if the sink calls it at "${place}", even from the same chunk`, async () => {
      const backend = await FakeBackend.ready();
      const { call, exchange, sink } = await sendExchange(backend);
      const response = await backend.respond(call);
      sink.during = (received) => {
        if (received === place) exchange.abort(GONE);
      };
      call.begin(200, RECORDS);
      call.handler.onData(
        Buffer.concat([response.start(), response.chunk('one'), response.chunk('two'), response.end()]),
      );
      call.handler.onEnd();
      assert.equal(sink.received.at(-1), 'fail cancelled');
      assert.equal(sink.received.at(-2), place);
      assert.ok(call.isCancelled());
    });
  }
});

describe('Exchange after its end', () => {
  it('passes on nothing more', async () => {
    for (const last of ['failed', 'ended'] as const) {
      const backend = await FakeBackend.ready();
      const { call, response, sink } = await startExchange(backend);
      if (last === 'failed') {
        call.handler.onError(new Error('reset'));
      } else {
        call.handler.onData(response.end());
        call.handler.onEnd();
      }
      const before = [...sink.received];
      const session = backend.sessions.current();
      call.begin(200, RECORDS);
      call.begin(400, refusalFields('session_not_found'));
      call.handler.onData(response.chunk('late'));
      call.handler.onEnd();
      call.handler.onError(new Error('late'));
      assert.deepEqual(sink.received, before);
      assert.equal(before.length, 2);
      assert.equal(backend.sessions.current(), session);
      assert.equal(backend.transport.calls.length, 1);
    }
  });

  it('stays failed after a wrong head, even if everything else is correct', async () => {
    const backend = await FakeBackend.ready();
    const { call, sink } = await sendExchange(backend);
    const response = await backend.respond(call);
    call.begin(503, RECORDS);
    call.handler.onData(response.start());
    call.handler.onData(response.end());
    call.handler.onEnd();
    assert.deepEqual(sink.received, ['fail response_status']);
  });
});

describe('Exchange and back-pressure', () => {
  it('pauses and resumes the request to the backend', async () => {
    const { call, exchange } = await startExchange(await FakeBackend.ready());
    exchange.pause();
    exchange.resume();
    exchange.pause();
    assert.deepEqual(call.flow, ['pause', 'resume', 'pause']);
  });

  it('has no effect before the request and after the end', async () => {
    const backend = await FakeBackend.ready();
    const { exchange } = makeExchange(backend, 'text');
    exchange.pause();
    exchange.resume();
    const ended = await startExchange(backend);
    ended.call.handler.onData(ended.response.end());
    ended.call.handler.onEnd();
    ended.exchange.pause();
    ended.exchange.resume();
    const failed = await startExchange(backend);
    failed.exchange.abort(GONE);
    failed.exchange.pause();
    failed.exchange.resume();
    assert.deepEqual([...ended.call.flow, ...failed.call.flow], []);
  });
});
