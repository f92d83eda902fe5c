import assert from 'node:assert/strict';

/** Runs work that must not take more of the processor's time for each value, the more values there are. */
export function inProportion<Result>(work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  const { user } = process.cpuUsage(before);
  assert.ok(user < 15_000_000, `${user} microseconds`);
  return result;
}
