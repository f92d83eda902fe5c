import assert from 'node:assert/strict';
import { retryDelay } from '../../../src/supervisor/backoff.ts';
import { RestartPolicy } from '../../../src/supervisor/restartPolicy.ts';

const MINUTE = 60_000;

describe('A proxy that ended by itself', () => {
  it('is started again after 1, 2, 4 and 8 seconds, and not after the fifth time', () => {
    const policy = new RestartPolicy();
    const delays = [0, 2, 5, 10, 20].map((seconds) => policy.crashed(seconds * 1000));
    assert.deepEqual(delays, [1000, 2000, 4000, 8000, undefined]);
  });

  it('is given up while it goes on like that', () => {
    const policy = new RestartPolicy();
    for (let count = 0; count < 4; count++) policy.crashed(count);
    assert.deepEqual([policy.crashed(4), policy.crashed(5)], [undefined, undefined]);
  });

  it('is started as at first once three minutes have passed', () => {
    const policy = new RestartPolicy();
    assert.deepEqual([policy.crashed(0), policy.crashed(1000)], [1000, 2000]);
    assert.equal(policy.crashed(3 * MINUTE + 1000), 1000);
  });

  it('counts the crashes of the last three minutes, not of calendar ones', () => {
    const policy = new RestartPolicy();
    for (const at of [0, 1, 2, 3].map((minutes) => minutes * MINUTE)) assert.notEqual(policy.crashed(at), undefined);
    assert.equal(policy.crashed(3 * MINUTE + 1), 8000); // those of the minutes 1, 2 and 3, and this one
    assert.equal(policy.crashed(3 * MINUTE + 2), undefined);
  });

  it('has a clean slate when a person starts it', () => {
    const policy = new RestartPolicy();
    for (let count = 0; count < 5; count++) policy.crashed(count);
    policy.reset();
    assert.equal(policy.crashed(6), 1000);
  });
});

describe('A backend that fails', () => {
  it('is asked again after 5, 10, 20 … seconds, and at least every five minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map(retryDelay);
    assert.deepEqual(delays, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });
});
