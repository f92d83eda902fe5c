import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import { SessionManagerUnderTest, isAlive } from '../../support/sessionManagers.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LIFE = 3570 * SECOND;
const RENEWAL = LIFE - 5 * MINUTE;

const nick = ({ id }: { id: string }) => id.slice(0, 4);

describe('SessionManager and the age of a session', () => {
  let test: SessionManagerUnderTest;

  beforeEach(() => {
    test = new SessionManagerUnderTest();
  });

  /** Makes every renewal fail until the session has reached this age. */
  async function ageWithoutRenewal(age: number, from = 0): Promise<void> {
    for (let passed = from; passed < age;) {
      const step = Math.min(SECOND, age - passed);
      const before = test.handshakes.length;
      await test.clock.advance(step);
      passed += step;
      if (test.handshakes.length > before) await test.handshake.fail(new SessionError('network', 'offline'));
    }
  }

  it('expires the session exactly 3,570 seconds after the handshake began', async () => {
    const session = await test.establish();
    await ageWithoutRenewal(LIFE - 1);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(isAlive(session), false);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('measures the age from before the handshake, however long it took', async () => {
    const acquired = test.sessions.acquire();
    await test.clock.advance(20 * SECOND);
    const session = await test.handshake.succeed();
    assert.equal(await acquired, session);
    await ageWithoutRenewal(LIFE - 1, 20 * SECOND);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
  });

  it('does not extend the session if the clock of the computer is set back', async () => {
    const session = await test.establish();
    test.clock.sleep(-10 * 60 * MINUTE);
    await ageWithoutRenewal(LIFE - 1);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('expires the session by the wall clock even if the monotonic clock is behind', async () => {
    const session = await test.establish();
    await ageWithoutRenewal(LIFE - 5 * SECOND);
    test.clock.sleep(5 * SECOND - 1);
    assert.equal(test.sessions.current(), session);
    test.clock.sleep(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('drops the session if the computer slept for more than five seconds', async () => {
    const session = await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleep(5 * SECOND);
    assert.equal(test.sessions.current(), session);
    test.clock.sleep(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(isAlive(session), false);
    assert.deepEqual(test.events.slice(1), ['lost: slept']);
  });

  it('notices a sleep during which both clocks ran, before any timer fires', async () => {
    const session = await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleepThrough(15 * SECOND);
    assert.equal(test.sessions.current(), session);
    test.clock.sleepThrough(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(isAlive(session), false);
    assert.deepEqual(test.events.slice(1), ['lost: slept']);
    assert.equal(test.clock.timers, 0);
  });

  it('notices such a sleep without a request', async () => {
    await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleepThrough(20 * SECOND);
    await test.clock.advance(0);
    assert.deepEqual(test.events.slice(1), ['lost: slept']);
    assert.equal(test.clock.timers, 0);
  });

  it('is not affected by a sleep before the session, or by timers that are on time', async () => {
    await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleepThrough(8 * 60 * MINUTE);
    const fresh = await test.establish();
    await test.clock.advance(10 * MINUTE);
    assert.equal(test.sessions.current(), fresh);
    assert.deepEqual(test.events.slice(1), ['lost: slept', `established ${nick(fresh)}`]);
  });

  it('makes callers after a sleep wait for a fresh session', async () => {
    const session = await test.establish();
    test.clock.sleep(8 * 60 * MINUTE);
    const fresh = await test.establish();
    assert.notEqual(fresh, session);
    assert.deepEqual(test.events.slice(1), ['lost: slept', `established ${nick(fresh)}`]);
  });
});

describe('SessionManager and renewal', () => {
  let test: SessionManagerUnderTest;

  beforeEach(() => {
    test = new SessionManagerUnderTest();
  });

  it('begins five minutes before expiry and keeps the old session in use', async () => {
    const session = await test.establish();
    await test.clock.advance(RENEWAL - 1);
    assert.equal(test.handshakes.length, 1);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 2);
    assert.equal(test.sessions.current(), session);
    assert.equal(await test.sessions.acquire(), session);
    assert.equal(test.handshakes.length, 2);
  });

  it('replaces the old session and destroys its keys without reporting a loss', async () => {
    const old = await test.establish();
    const call = old.beginCall();
    await test.clock.advance(RENEWAL);
    const session = await test.handshake.succeed();
    assert.equal(test.sessions.current(), session);
    assert.equal(isAlive(old), false);
    assert.ok(call.sealer.seal(new Uint8Array(4), []).length > 0, 'a call that has begun goes on');
    assert.deepEqual(test.events, [`established ${nick(old)}`, `established ${nick(session)}`]);
  });

  it('renews sessions indefinitely without requests, with two timers', async () => {
    await test.establish();
    for (let generation = 2; generation < 6; generation++) {
      assert.equal(test.clock.timers, 2);
      await test.clock.advance(RENEWAL);
      assert.equal(test.handshakes.length, generation);
      const session = await test.handshake.succeed();
      assert.equal(test.sessions.current(), session);
    }
  });

  it('retries a failed renewal every 15 seconds and uses the old session until it expires', async () => {
    const session = await test.establish();
    await test.clock.advance(RENEWAL);
    for (let attempts = 2; attempts <= 21; attempts++) {
      assert.equal(test.handshakes.length, attempts);
      assert.equal(test.sessions.current(), session);
      await test.handshake.fail(new SessionError('network', 'offline'));
      await test.clock.advance(15 * SECOND - 1);
      assert.equal(test.handshakes.length, attempts);
      await test.clock.advance(1);
    }
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.handshakes.length, 21, 'with no session left there is nothing to renew');
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('renews again after a renewal that failed and then succeeded', async () => {
    await test.establish();
    await test.clock.advance(RENEWAL);
    await test.handshake.fail(new SessionError('network', 'offline'));
    await test.clock.advance(15 * SECOND);
    const second = await test.handshake.succeed();
    assert.equal(test.sessions.current(), second);
    assert.equal(test.clock.timers, 2);
    await test.clock.advance(RENEWAL - 1);
    assert.equal(test.handshakes.length, 3);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 4);
  });

  it('leaves no timer after a failed renewal once the session is gone', async () => {
    const session = await test.establish();
    await test.clock.advance(RENEWAL);
    await test.handshake.fail(new SessionError('network', 'offline'));
    assert.equal(test.clock.timers, 2);
    test.sessions.retire(session, 'rejected');
    assert.equal(test.clock.timers, 0);
  });

  it('shares a renewal in progress with callers after the old session was rejected', async () => {
    const old = await test.establish();
    await test.clock.advance(RENEWAL);
    test.sessions.retire(old, 'rejected');
    const asked = test.sessions.acquire();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
    const session = await test.handshake.succeed();
    assert.equal(await asked, session);
    assert.equal(test.sessions.current(), session);
  });

  it('does not retry a renewal that fails after the old session was rejected', async () => {
    const old = await test.establish();
    await test.clock.advance(RENEWAL);
    test.sessions.retire(old, 'rejected');
    await test.handshake.fail(new SessionError('network', 'offline'));
    assert.equal(test.clock.timers, 0);
    await test.clock.advance(MINUTE);
    assert.equal(test.handshakes.length, 2);
    assert.equal(test.clock.timers, 0);
  });

  it('drops the session instead of renewing it if the timer fires after a sleep', async () => {
    await test.establish();
    await test.clock.advance(RENEWAL - 1);
    test.clock.sleep(60 * MINUTE);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 1);
    assert.equal(test.events.at(-1), 'lost: slept');
  });

  it('tells how long the session can still be used', async () => {
    assert.equal(test.sessions.remaining, 0);
    await test.establish();
    assert.equal(test.sessions.remaining, LIFE);
    await test.clock.advance(LIFE - 1);
    await test.handshake.fail(new SessionError('network', 'offline'));
    assert.equal(test.sessions.remaining, 1);
    await test.clock.advance(1);
    assert.equal(test.sessions.remaining, 0);
    await test.establish();
    test.clock.sleep(6 * SECOND);
    assert.equal(test.sessions.remaining, 0, 'no timer has fired since');
  });

  it('stops on close()', async () => {
    await test.establish();
    await test.clock.advance(RENEWAL);
    test.sessions.close();
    const session = await test.handshake.succeed();
    assert.equal(isAlive(session), false);
    await test.clock.advance(LIFE);
    assert.equal(test.handshakes.length, 2);
    assert.equal(test.sessions.current(), undefined);
  });
});
