import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import { SessionManager } from '../../../src/session/sessionManager.ts';
import type { SessionUse } from '../../../src/session/sessionManager.ts';
import { SessionManagerUnderTest, isAlive } from '../../support/sessionManagers.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const nick = ({ id }: { id: string }) => id.slice(0, 4);

describe('SessionManager', () => {
  let test: SessionManagerUnderTest;

  beforeEach(() => {
    test = new SessionManagerUnderTest();
  });

  it('begins no handshake before it is asked', async () => {
    assert.equal(test.sessions.current(), undefined);
    await test.clock.advance(10_000_000);
    assert.equal(test.handshakes.length, 0);
  });

  it('shares one handshake between concurrent callers', async () => {
    const asked = Array.from({ length: 50 }, () => test.sessions.acquire());
    await flushEventLoop();
    asked.push(test.sessions.acquire());
    assert.equal(test.handshakes.length, 1);
    assert.equal(test.sessions.current(), undefined);
    const session = await test.handshake.succeed();
    assert.ok((await Promise.all(asked)).every((answer) => answer === session));
    assert.equal(test.sessions.current(), session);
    assert.equal(await test.sessions.acquire(), session);
    assert.equal(test.handshakes.length, 1);
    assert.deepEqual(test.events, [`established ${nick(session)}`]);
  });

  it('restores a missing session in the background, but not within 15 seconds of a failure', async () => {
    test.sessions.restore();
    test.sessions.restore();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 1);
    await test.handshake.fail(new SessionError('weak_public_key', 'weak'));
    await test.clock.advance(14_999);
    test.sessions.restore();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 1);
    await test.clock.advance(1);
    test.sessions.restore();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
    await test.handshake.succeed();
    test.sessions.restore();
    await test.clock.advance(20_000);
    assert.equal(test.handshakes.length, 2);
  });

  it('rejects all callers if the handshake fails, and does not keep the error', async () => {
    const asked = Array.from({ length: 5 }, () => assert.rejects(test.sessions.acquire(), { code: 'weak_public_key' }));
    await flushEventLoop();
    await test.handshake.fail(new SessionError('weak_public_key', 'weak'));
    await Promise.all(asked);
    assert.deepEqual(test.events, ['failed: weak_public_key']);
    const again = test.sessions.acquire();
    await test.clock.advance(1000);
    assert.equal(test.handshakes.length, 2);
    assert.equal(await test.handshake.succeed(), await again);
  });

  it('turns other errors into network errors with their cause', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const rejected = assert.rejects(test.sessions.acquire(), { name: 'SessionError', code: 'network', cause });
    await flushEventLoop();
    await test.handshake.fail(cause);
    await rejected;
    assert.deepEqual(test.events, ['failed: network']);
  });

  it('repeats a failed handshake at most once a second', async () => {
    const outcomes: Promise<void>[] = [];
    const ask = () => outcomes.push(assert.rejects(test.sessions.acquire(), { code: 'timeout' }));
    ask();
    await flushEventLoop();
    await test.handshake.fail(new SessionError('timeout', 'late'));
    for (let failures = 1; failures < 4; failures++) {
      for (let count = 0; count < 10; count++) ask();
      await test.clock.advance(999);
      assert.equal(test.handshakes.length, failures, 'before a second has passed');
      ask();
      await test.clock.advance(1);
      assert.equal(test.handshakes.length, failures + 1, 'when a second has passed');
      await test.handshake.fail(new SessionError('timeout', 'late'));
    }
    await Promise.all(outcomes);
    const starts = test.handshakes.map(({ at }) => at);
    assert.deepEqual(
      starts.slice(1).map((at, index) => at - (starts[index] ?? NaN)),
      [1000, 1000, 1000],
    );
  });

  it('does not wait if the last failure is more than a second old', async () => {
    const rejected = assert.rejects(test.sessions.acquire());
    await flushEventLoop();
    await test.handshake.fail(new Error('x'));
    await rejected;
    await test.clock.advance(1000);
    const asked = test.sessions.acquire();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
    await test.handshake.succeed();
    await asked;
  });

  it('makes a session in the background without throwing', async () => {
    test.sessions.warmUp();
    await flushEventLoop();
    await test.handshake.fail(new Error('offline'));
    assert.deepEqual(test.events, ['failed: network']);
    await test.clock.advance(1000);
    test.sessions.warmUp();
    await flushEventLoop();
    const session = await test.handshake.succeed();
    assert.equal(test.sessions.current(), session);
    test.sessions.warmUp();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
  });

  it('begins a handshake at most once a second, even if every session is retired at once', async () => {
    const from = test.clock.monotonic();
    for (let count = 0; count < 4; count++) {
      const session = await test.establish();
      test.sessions.retire(session, 'bad_response');
    }
    assert.deepEqual(
      test.handshakes.map(({ at }) => at - from),
      [0, 1000, 2000, 3000],
    );
  });

  it('begins the next one sooner, at most ten times a second, if the session has answered a request', async () => {
    const from = test.clock.monotonic();
    for (let count = 0; count < 3; count++) {
      const session = await test.establish(100);
      test.sessions.begin(session).answered();
      test.sessions.retire(session, 'bad_response');
    }
    assert.deepEqual(
      test.handshakes.map(({ at }) => at - from),
      [0, 100, 200],
    );
  });

  it('begins it sooner too if the session answers while the next one already waits', async () => {
    const session = await test.establish();
    const others = test.sessions.begin(session);
    const bad = test.sessions.begin(session);
    bad.end();
    bad.failed('bad_response');
    assert.equal(test.sessions.take(), undefined);
    await test.clock.advance(150);
    assert.equal(test.handshakes.length, 1, 'the session has not answered yet');
    others.answered();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
    await test.handshake.succeed();
  });

  it('never waits for a negative time, even if time passes between two looks at the clock', async () => {
    const waits: number[] = [];
    let now = 0;
    const { clock } = test;
    const sessions = new SessionManager({
      clock: {
        wall: () => clock.wall(),
        monotonic: () => (now += 600),
        after: (milliseconds, callback) => {
          waits.push(milliseconds);
          return clock.after(milliseconds, callback);
        },
      },
      connect: () => Promise.reject(new SessionError('network', 'refused')),
    });
    await assert.rejects(sessions.acquire());
    const again = assert.rejects(sessions.acquire());
    await clock.advance(1000);
    await again;
    assert.deepEqual(waits, [400]);
  });

  it('does not begin one sooner after a failed handshake, even if the session in use still answers', async () => {
    const session = await test.establish();
    const bad = test.sessions.begin(session);
    const others = test.sessions.begin(session);
    others.answered();
    bad.failed('bad_response');
    bad.end();
    await test.clock.advance(1000);
    assert.equal(test.sessions.take(), session);
    await flushEventLoop();
    await test.handshake.fail(new SessionError('weak_public_key', 'weak'));
    assert.equal(test.sessions.take(), session);
    test.sessions.begin(session).answered();
    await test.clock.advance(999);
    assert.equal(test.handshakes.length, 2);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 3);
    await test.handshake.succeed();
  });

  for (const loss of ['rejected', 'bad_response'] as const) {
    it(`retires a session and destroys its keys: ${loss}`, async () => {
      const session = await test.establish();
      test.sessions.retire(session, loss);
      assert.equal(test.sessions.current(), undefined);
      assert.equal(isAlive(session), false);
      assert.deepEqual(test.events.slice(1), [`lost: ${loss}`]);
      const next = await test.establish();
      assert.notEqual(next, session);
      assert.equal(test.sessions.current(), next);
    });
  }

  it('keeps the new session if the old one is rejected, even repeatedly', async () => {
    const old = await test.establish();
    test.sessions.retire(old, 'rejected');
    const session = await test.establish();
    for (let count = 0; count < 3; count++) test.sessions.retire(old, 'rejected');
    assert.equal(test.sessions.current(), session);
    assert.equal(isAlive(session), true);
    assert.deepEqual(test.events.slice(1), ['lost: rejected', `established ${nick(session)}`]);
  });

  it('ignores the rejection of an unknown session', async () => {
    const other = new SessionManagerUnderTest();
    const foreign = await other.establish();
    test.sessions.retire(foreign, 'rejected');
    const session = await test.establish();
    test.sessions.retire(foreign, 'rejected');
    assert.equal(test.sessions.current(), session);
    assert.equal(isAlive(foreign), true);
  });

  it('follows no request on a session that is no longer the live one', async () => {
    const old = await test.establish();
    test.sessions.retire(old, 'rejected');
    assertNoEffect(test.sessions.begin(old));
    const session = await test.establish();
    assertNoEffect(test.sessions.begin(old));
    assert.equal(test.sessions.take(), session);

    function assertNoEffect(use: SessionUse): void {
      const before = test.events.length;
      use.end();
      use.failed('bad_response');
      assert.equal(test.events.length, before);
    }
  });

  it('counts a request among those that wait only until its answer begins', async () => {
    const session = await test.establish();
    const answered = test.sessions.begin(session);
    answered.answered();
    const [waiting, bad] = [test.sessions.begin(session), test.sessions.begin(session)];
    answered.end();
    bad.end();
    bad.failed('bad_response');
    assert.equal(test.sessions.current(), session, 'the other one decides');
    waiting.answered();
    assert.equal(test.sessions.take(), session);
  });

  it('counts an answer once, when it begins', async () => {
    const session = await test.establish();
    const answered = test.sessions.begin(session);
    answered.answered();
    const bad = test.sessions.begin(session);
    answered.answered();
    bad.end();
    bad.failed('bad_response');
    assert.equal(test.sessions.current(), undefined, 'nothing has been answered since it began');
  });

  it('loses a session in doubt when the last request that waited has ended without an answer', async () => {
    const session = await test.establish();
    const [waiting, bad] = [test.sessions.begin(session), test.sessions.begin(session)];
    bad.end();
    bad.failed('rejected');
    assert.equal(test.sessions.current(), session);
    waiting.end();
    assert.equal(test.sessions.current(), undefined);
    assert.deepEqual(test.events.slice(1), ['lost: rejected']);
  });

  it('begins no second handshake for a rejected request whose own one has failed, when the session answers others', async () => {
    const session = await test.establish();
    await test.clock.advance(1000);
    const [other, bad] = [test.sessions.begin(session), test.sessions.begin(session)];
    bad.end();
    bad.failed('rejected');
    const failed = assert.rejects(test.sessions.acquire(session), { code: 'weak_public_key' });
    await flushEventLoop();
    await test.handshake.fail(new SessionError('weak_public_key', 'weak'));
    await failed;
    other.answered();
    await test.clock.advance(5000);
    assert.equal(test.handshakes.length, 2);
  });

  it('drops the session and its keys on close() and sets no more timers', async () => {
    const session = await test.establish();
    test.sessions.close();
    assert.equal(isAlive(session), false);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.clock.timers, 0);
    assert.deepEqual(test.events.slice(1), ['lost: closed']);
    test.sessions.close();
    assert.deepEqual(test.events.slice(1), ['lost: closed']);
  });

  it('discards a session that arrives after close() without reporting a failure', async () => {
    const rejected = assert.rejects(test.sessions.acquire(), { name: 'SessionError', code: 'cancelled' });
    await flushEventLoop();
    test.sessions.close();
    const session = await test.handshake.succeed();
    await rejected;
    assert.equal(isAlive(session), false);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.clock.timers, 0);
    assert.deepEqual(test.events, []);
  });

  it('begins no handshake after close(), not even a delayed one', async () => {
    const failed = assert.rejects(test.sessions.acquire());
    await flushEventLoop();
    await test.handshake.fail(new Error('x'));
    await failed;
    const waiting = assert.rejects(test.sessions.acquire(), { code: 'cancelled' });
    test.sessions.close();
    await test.clock.advance(1000);
    await waiting;
    await assert.rejects(test.sessions.acquire(), { code: 'cancelled' });
    assert.equal(test.handshakes.length, 1);
    assert.deepEqual(test.events, ['failed: network']);
  });
});
