import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientLimits } from '../../../../src/proxy/server/clientLimits.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('ClientLimits', () => {
  let clock: FakeClock;
  let limits: ClientLimits;

  beforeEach(() => {
    clock = new FakeClock();
    limits = new ClientLimits(clock);
  });

  const admitted = (client: string, rules: Parameters<ClientLimits['admit']>[1]) =>
    limits.admit(client, rules) === undefined;

  it('accepts a key until the end of its last day in UTC', async () => {
    const rules = { expires: new Date(clock.wall()).toISOString().slice(0, 10) };
    const end = Date.parse(rules.expires) + 86_400_000;
    await clock.advance(end - clock.wall() - 1);
    assert.ok(admitted('alice', rules));
    await clock.advance(1);
    const error = limits.admit('alice', rules);
    assert.deepEqual([error?.status, error?.reason], [401, 'expired_access_key']);
    assert.ok(error?.message.includes(`until the end of ${rules.expires} (UTC)`));
  });

  it('counts the requests of a client in the last minute, and says how long it must wait', async () => {
    const rules = { requests: 3 };
    for (const pause of [0, 10_000, 10_000]) {
      await clock.advance(pause);
      assert.ok(admitted('alice', rules));
    }
    const error = limits.admit('alice', rules);
    assert.deepEqual([error?.status, error?.reason, error?.headers], [429, 'requests_limit', ['retry-after', '40']]);
    assert.match(error?.message ?? '', /3 requests in a minute.* Try again in 40 seconds\./);
    assert.ok(admitted('bob', rules));
    await clock.advance(39_000);
    assert.ok(!admitted('alice', rules));
    await clock.advance(1000);
    assert.ok(admitted('alice', rules));
    assert.ok(!admitted('alice', rules));
  });

  it('refuses a client that has spent its tokens until enough of them are a minute old', async () => {
    const rules = { tokens: 100 };
    assert.ok(admitted('alice', rules));
    limits.spend('alice', rules, 99);
    assert.ok(admitted('alice', rules));
    await clock.advance(30_000);
    limits.spend('alice', rules, 500);
    const error = limits.admit('alice', rules);
    assert.deepEqual([error?.status, error?.reason, error?.headers], [429, 'tokens_limit', ['retry-after', '60']]);
    await clock.advance(60_000);
    assert.ok(admitted('alice', rules));
  });

  it('keeps its counts when a client gets other limits', () => {
    for (let i = 0; i < 2; i++) assert.ok(admitted('alice', { requests: 2 }));
    assert.ok(!admitted('alice', { requests: 1 }));
    assert.ok(admitted('alice', { requests: 3 }));
    assert.ok(!admitted('alice', { requests: 3 }));
  });

  it('does not count a request that it refuses, nor tokens without a limit', () => {
    const rules = { requests: 2, tokens: 10 };
    limits.spend('alice', {}, 1000);
    assert.ok(admitted('alice', rules));
    limits.spend('alice', rules, 10);
    for (let i = 0; i < 5; i++) assert.equal(limits.admit('alice', rules)?.reason, 'tokens_limit');
    assert.ok(admitted('alice', { requests: 2 }));
  });

  it('never lets more requests through in 60 seconds than the limit, and never makes a client wait for nothing', async () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 1, max: 5 }), async (list, requests) => {
        const clock = new FakeClock();
        const limits = new ClientLimits(clock);
        const times: number[] = [];
        for (const pause of list) {
          await clock.advance(pause);
          const now = Math.floor(clock.monotonic() / 1000);
          const error = limits.admit('alice', { requests });
          if (error === undefined) times.push(now);
          const recent = times.filter((time) => time > now - 60);
          assert.ok(recent.length <= requests);
          if (error === undefined) continue;
          const oldest = times.at(-requests) ?? NaN;
          assert.equal(error.headers?.[1], String(oldest + 60 - now));
        }
      }),
    );
  });
});
