import assert from 'node:assert/strict';
import { SessionError } from '../../../src/session/errors.ts';
import { SessionManagerUnderTest, isAlive } from '../../support/sessionManagers.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LIFE = 3570 * SECOND;
const RENEWAL = LIFE - 5 * MINUTE;

const nick = ({ id }: { id: string }) => id.slice(0, 4);

describe('The time of a session', () => {
  let test: SessionManagerUnderTest;

  beforeEach(() => {
    test = new SessionManagerUnderTest();
  });

  /** Lets every renewal fail until the session has lived this long. */
  async function ageWithoutRenewal(age: number, from = 0): Promise<void> {
    for (let passed = from; passed < age;) {
      const step = Math.min(SECOND, age - passed);
      const before = test.handshakes.length;
      await test.clock.advance(step);
      passed += step;
      if (test.handshakes.length > before) await test.handshake.fail(new SessionError('network', 'offline'));
    }
  }

  it('ends exactly 3,570 seconds after the handshake began', async () => {
    const session = await test.establish();
    await ageWithoutRenewal(LIFE - 1);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(isAlive(session), false);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('is counted from before the handshake was sent, however long that took', async () => {
    const acquired = test.sessions.acquire();
    await test.clock.advance(20 * SECOND);
    const session = await test.handshake.succeed();
    assert.equal(await acquired, session);
    await ageWithoutRenewal(LIFE - 1, 20 * SECOND);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
  });

  it('does not end later when the computer’s clock is set back', async () => {
    const session = await test.establish();
    test.clock.sleep(-10 * 60 * MINUTE);
    await ageWithoutRenewal(LIFE - 1);
    assert.equal(test.sessions.current(), session);
    await test.clock.advance(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('ends when the wall clock says so, though less time has passed for the process', async () => {
    const session = await test.establish();
    await ageWithoutRenewal(LIFE - 5 * SECOND);
    test.clock.sleep(5 * SECOND - 1);
    assert.equal(test.sessions.current(), session);
    test.clock.sleep(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(test.events.at(-1), 'lost: expired');
  });

  it('ends when the computer slept for more than five seconds', async () => {
    const session = await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleep(5 * SECOND);
    assert.equal(test.sessions.current(), session);
    test.clock.sleep(1);
    assert.equal(test.sessions.current(), undefined);
    assert.equal(isAlive(session), false);
    assert.deepEqual(test.events.slice(1), ['lost: slept']);
  });

  it('ends with a sleep in which both clocks went on, for who asks before any timer has come', async () => {
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

  it('ends with such a sleep by itself when nobody asks', async () => {
    await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleepThrough(20 * SECOND);
    await test.clock.advance(0);
    assert.deepEqual(test.events.slice(1), ['lost: slept']);
    assert.equal(test.clock.timers, 0);
  });

  it('does not end with a sleep of another session, nor while timers come in time', async () => {
    await test.establish();
    await test.clock.advance(MINUTE);
    test.clock.sleepThrough(8 * 60 * MINUTE);
    const fresh = await test.establish();
    await test.clock.advance(10 * MINUTE);
    assert.equal(test.sessions.current(), fresh);
    assert.deepEqual(test.events.slice(1), ['lost: slept', `established ${nick(fresh)}`]);
  });

  it('lets who asks after a sleep wait for a fresh session', async () => {
    const session = await test.establish();
    test.clock.sleep(8 * 60 * MINUTE);
    const fresh = await test.establish();
    assert.notEqual(fresh, session);
    assert.deepEqual(test.events.slice(1), ['lost: slept', `established ${nick(fresh)}`]);
  });
});

describe('The renewal of a session', () => {
  let test: SessionManagerUnderTest;

  beforeEach(() => {
    test = new SessionManagerUnderTest();
  });

  it('begins five minutes before the end, while the old session serves on', async () => {
    const session = await test.establish();
    await test.clock.advance(RENEWAL - 1);
    assert.equal(test.handshakes.length, 1);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 2);
    assert.equal(test.sessions.current(), session);
    assert.equal(await test.sessions.acquire(), session);
    assert.equal(test.handshakes.length, 2);
  });

  it('replaces the old session, destroys its keys and calls it no loss', async () => {
    const old = await test.establish();
    const call = old.beginCall();
    await test.clock.advance(RENEWAL);
    const session = await test.handshake.succeed();
    assert.equal(test.sessions.current(), session);
    assert.equal(isAlive(old), false);
    assert.ok(call.sealer.seal(new Uint8Array(4), []).length > 0, 'a call that has begun goes on');
    assert.deepEqual(test.events, [`established ${nick(old)}`, `established ${nick(session)}`]);
  });

  it('goes on from session to session with two timers, for its end and for its heart, without being asked', async () => {
    await test.establish();
    for (let generation = 2; generation < 6; generation++) {
      assert.equal(test.clock.timers, 2);
      await test.clock.advance(RENEWAL);
      assert.equal(test.handshakes.length, generation);
      const session = await test.handshake.succeed();
      assert.equal(test.sessions.current(), session);
    }
  });

  it('that fails is tried again every 15 seconds, and the old session serves until its end', async () => {
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

  it('that fails once and then succeeds is renewed in its turn', async () => {
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

  it('that failed leaves no timer behind when the session is gone', async () => {
    const session = await test.establish();
    await test.clock.advance(RENEWAL);
    await test.handshake.fail(new SessionError('network', 'offline'));
    assert.equal(test.clock.timers, 2);
    test.sessions.reject(session);
    assert.equal(test.clock.timers, 0);
  });

  it('that is under way serves those who ask after the old session was rejected', async () => {
    const old = await test.establish();
    await test.clock.advance(RENEWAL);
    test.sessions.reject(old);
    const asked = test.sessions.acquire();
    await flushEventLoop();
    assert.equal(test.handshakes.length, 2);
    const session = await test.handshake.succeed();
    assert.equal(await asked, session);
    assert.equal(test.sessions.current(), session);
  });

  it('that fails after the old session was rejected is not tried again by itself', async () => {
    const old = await test.establish();
    await test.clock.advance(RENEWAL);
    test.sessions.reject(old);
    await test.handshake.fail(new SessionError('network', 'offline'));
    await test.clock.advance(MINUTE);
    assert.equal(test.handshakes.length, 2);
    assert.equal(test.clock.timers, 0);
  });

  it('does not begin when its timer rings after a sleep: the session is lost instead', async () => {
    await test.establish();
    await test.clock.advance(RENEWAL - 1);
    test.clock.sleep(60 * MINUTE);
    await test.clock.advance(1);
    assert.equal(test.handshakes.length, 1);
    assert.equal(test.events.at(-1), 'lost: slept');
  });

  it('ends with the sessions', async () => {
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
