import assert from 'node:assert/strict';
import type { UsageView } from '../../../../src/dashboard/model.ts';
import { active, seriesOf, stack, total } from '../../../../src/dashboard/web/chartData.ts';

const NOTHING = { requests: 0, errors: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 };
const VIEW: UsageView = {
  ...{ range: 'day', by: 'client', recording: true, times: [0, 1, 2], median: [], percentile95: [] },
  ...{ today: NOTHING, totals: NOTHING, since: null, firstByte: null },
  series: [
    { name: 'a', requests: [1, 0, 0], errors: [1, 0, 0], tokensIn: [10, 0, 0], tokensOut: [5, 0, 0] },
    { name: 'b', requests: [2, 0, 3], errors: [0, 0, 0], tokensIn: [20, 0, 30], tokensOut: [6, 0, 7] },
  ],
};

describe('seriesOf', () => {
  it('returns one measure of each series', () => {
    assert.deepEqual(seriesOf(VIEW, 'tokensOut'), [
      { name: 'a', values: [5, 0, 0] },
      { name: 'b', values: [6, 0, 7] },
    ]);
  });
});

describe('stack', () => {
  it('adds the series up, and leaves out what has no height', () => {
    assert.deepEqual(stack(seriesOf(VIEW, 'requests')), [
      [1, null, null],
      [3, null, 3],
    ]);
    assert.deepEqual(stack([]), []);
  });
});

describe('total', () => {
  it('adds values, without those that are missing', () => {
    assert.equal(total([1, null, 2]), 3);
    assert.equal(total([]), 0);
  });
});

describe('active', () => {
  it('returns the indexes at which there is a value', () => {
    assert.deepEqual(active(seriesOf(VIEW, 'requests'), 3), [0, 2]);
    assert.deepEqual(active([{ name: 'x', values: [null, 0, 4] }], 3), [2]);
  });
});
