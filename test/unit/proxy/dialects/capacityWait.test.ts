import assert from 'node:assert/strict';
import { CapacityWait, wait } from '../../../../src/proxy/dialects/capacityWait.ts';

const NOW = Date.UTC(2026, 0, 1);
const refusal = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? [] : ['Retry-After', retryAfter],
});
const waits = (limit: number, ...retryAfter: readonly (string | undefined)[]) => {
  const capacity = new CapacityWait(limit, () => NOW);
  return retryAfter.map((value) => capacity.next(refusal(429, value)));
};

describe('CapacityWait', () => {
  it('waits as long as the backend asks for', () => {
    assert.deepEqual(waits(60_000, '7', 'Thu, 01 Jan 2026 00:00:09 GMT'), [7000, 9000]);
    assert.deepEqual(waits(60_000, '0', 'Wed, 31 Dec 2025 00:00:00 GMT'), [0, 0]);
  });

  it('has times of its own if the backend does not say', () => {
    assert.deepEqual(waits(60_000, undefined, 'soon'), [2000, 4000]);
  });

  it('allows three attempts', () => {
    assert.deepEqual(waits(60_000, '1', '1', '1'), [1000, 1000, undefined]);
  });

  it('does not wait longer than its limit in total', () => {
    assert.deepEqual(waits(10_000, '11', '6', '5', '4'), [undefined, 6000, undefined, 4000]);
  });

  it('does not wait at all with a limit of 0', () => {
    assert.deepEqual(waits(0, '0', undefined), [undefined, undefined]);
  });

  it('waits after 429 and 503 only', () => {
    for (const status of [400, 401, 404, 413, 500, 502, 504, 529]) {
      assert.equal(new CapacityWait(60_000, () => NOW).next(refusal(status, '1')), undefined);
    }
    assert.equal(new CapacityWait(60_000, () => NOW).next(refusal(503, '1')), 1000);
  });
});

describe('wait()', () => {
  it('resolves after the time, or as soon as the signal is aborted', async () => {
    const controller = new AbortController();
    await wait(1, controller.signal);
    const long = wait(2 ** 30, controller.signal);
    controller.abort();
    await long;
  });
});
