import assert from 'node:assert/strict';
import { RestartPolicy } from '../../../src/supervisor/restartPolicy.ts';

const MINUTE = 60_000;

describe('RestartPolicy', () => {
  it('restarts after 1, 2, 4 and 8 seconds, and not after the fifth crash', () => {
    const policy = new RestartPolicy();
    const delays = [0, 2, 5, 10, 20].map((seconds) => policy.crashed(seconds * 1000));
    assert.deepEqual(delays, [1000, 2000, 4000, 8000, undefined]);
  });

  it('does not restart while the crashes go on', () => {
    const policy = new RestartPolicy();
    for (let count = 0; count < 4; count++) policy.crashed(count);
    assert.deepEqual([policy.crashed(4), policy.crashed(5)], [undefined, undefined]);
  });

  it('restarts as after the first crash when three minutes have passed', () => {
    const policy = new RestartPolicy();
    assert.deepEqual([policy.crashed(0), policy.crashed(1000)], [1000, 2000]);
    assert.equal(policy.crashed(3 * MINUTE + 1000), 1000);
  });

  it('counts the crashes in a sliding window of three minutes', () => {
    const policy = new RestartPolicy();
    for (const at of [0, 1, 2, 3].map((minutes) => minutes * MINUTE)) assert.notEqual(policy.crashed(at), undefined);
    assert.equal(policy.crashed(3 * MINUTE + 1), 8000); // those of the minutes 1, 2 and 3, and this one
    assert.equal(policy.crashed(3 * MINUTE + 2), undefined);
  });

  it('forgets all crashes when the user starts the proxy', () => {
    const policy = new RestartPolicy();
    for (let count = 0; count < 5; count++) policy.crashed(count);
    policy.reset();
    assert.equal(policy.crashed(6), 1000);
  });
});
