import assert from 'node:assert/strict';
import type { Grouping, Range } from '../../../src/dashboard/model.ts';
import { startOf, usageView } from '../../../src/dashboard/usage.ts';
import { HOUR, hourOf } from '../../../src/shared/activity.ts';
import type { UsageSum } from '../../../src/shared/activity.ts';
import { OTHER_MODELS, bucketOf } from '../../../src/shared/usage.ts';
import { usageSum } from '../../support/requestRecords.ts';

const NOW = Date.UTC(2026, 0, 15, 12, 34);
const THIS_HOUR = Date.UTC(2026, 0, 15, 12);

const sum = (change: Partial<UsageSum> = {}): UsageSum =>
  usageSum({ hour: THIS_HOUR, caller: 'a', model: 'glm', requests: 1, tokensOut: 5, firstByte: {}, ...change });
const view = (sums: readonly UsageSum[], range: Range = 'day', by: Grouping = 'client', now = NOW) =>
  usageView(sums, {
    range,
    by,
    recording: true,
    now,
    nameOf: (caller) => `key ${caller}`,
  });

describe('usageView()', () => {
  it('has 48 hours or 7 days by the hour, and 90 days by the day', () => {
    for (const [range, length] of [
      ['day', 48],
      ['week', 168],
    ] as const) {
      const { times } = view([sum({ hour: startOf(range, NOW) })], range);
      assert.equal(times.length, length);
      assert.equal(times.at(-1), THIS_HOUR);
      assert.ok(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === HOUR));
      assert.equal(startOf(range, NOW), times[0]);
    }
    assert.equal(view([sum({ hour: startOf('quarter', NOW) })], 'quarter').times.length, 90);
  });

  it('begins with the first request, but has at least seven hours or days', () => {
    const early = THIS_HOUR - 20 * HOUR;
    const some = view([sum(), sum({ hour: early })], 'week');
    assert.deepEqual([some.since, some.times[0], some.times.length], [early, early, 21]);
    assert.equal(some.series[0]?.requests.length, 21);
    assert.deepEqual([some.series[0].requests[0], some.series[0].requests[20]], [1, 1]);
    for (const range of ['day', 'week', 'quarter'] as const) {
      const { since, times, series, median } = view([sum()], range);
      assert.deepEqual([times.length, series[0]?.requests.length, median.length], [7, 7, 7], range);
      assert.equal(since, times.at(-1), range);
    }
    assert.equal(view([]).since, null);
    assert.equal(view([sum({ hour: THIS_HOUR - 48 * HOUR })]).since, null);
  });

  it('adds up the range: requests, failures, tokens and the median of the times to the first byte', () => {
    const { totals, firstByte, series } = view([
      sum({ requests: 5, errors: 2, cancelled: 1, tokensCached: 3, firstByte: { [bucketOf(100)]: 3 } }),
      sum({
        hour: THIS_HOUR - HOUR,
        model: 'x',
        requests: 2,
        errors: 1,
        tokensCached: 1,
        firstByte: { [bucketOf(9000)]: 2 },
      }),
      sum({ hour: THIS_HOUR - 48 * HOUR, requests: 100, errors: 100 }),
    ]);
    assert.deepEqual(totals, { requests: 7, errors: 3, tokensIn: 20, tokensOut: 10, tokensCached: 4 });
    assert.deepEqual(series[0]?.errors.slice(-3), [0, 1, 2]);
    assert.ok(firstByte !== null && Math.abs(firstByte - 100) < 15);
    assert.equal(view([sum()]).firstByte, null);
  });

  it('adds up what belongs to one hour, and leaves out what is older or of the future', () => {
    const { times, series } = view([
      sum(),
      sum({ model: 'other', requests: 2 }),
      sum({ hour: THIS_HOUR - HOUR, tokensOut: 7 }),
      sum({ hour: THIS_HOUR - 48 * HOUR }),
      sum({ hour: THIS_HOUR + HOUR }),
    ]);
    assert.equal(series.length, 1);
    assert.equal(series[0]?.name, 'key a');
    assert.deepEqual(series[0].requests.slice(-2), [1, 3]);
    assert.deepEqual(series[0].tokensOut.slice(-2), [7, 10]);
    assert.deepEqual(series[0].tokensIn.slice(-2), [10, 20]);
    assert.equal(series[0].requests.length, times.length);
  });

  it('adds up what belongs to today, in local time', () => {
    const midnight = hourOf(new Date(NOW).setHours(0, 0, 0, 0));
    const sums = [
      sum({ hour: midnight - HOUR, requests: 100 }),
      sum({ hour: midnight, requests: 3, errors: 1, tokensIn: 7 }),
      sum({ caller: 'b', errors: 0, tokensIn: 1, tokensOut: 2 }),
      sum({ hour: THIS_HOUR + HOUR, requests: 100 }),
    ];
    for (const range of ['day', 'week', 'quarter'] as const)
      assert.deepEqual(view(sums, range).today, {
        ...{ requests: 4, errors: 1, tokensIn: 8, tokensOut: 7, tokensCached: 8 },
      });
  });

  it('groups by client or by model; those with most tokens come first', () => {
    const sums = [sum(), sum({ caller: 'b', tokensIn: 99 }), sum({ caller: 'c', model: '' })];
    const names = (by: Grouping) => view(sums, 'day', by).series.map(({ name }) => name);
    assert.deepEqual(names('client'), ['key b', 'key a', 'key c']);
    assert.deepEqual(names('model'), ['glm', 'No model named']);
  });

  it('has at most eight lines, the last one with all others', () => {
    const many = Array.from({ length: 12 }, (_, index) => sum({ caller: String(index), tokensIn: 100 - index }));
    const { series } = view(many);
    assert.deepEqual(
      series.map(({ name }) => name),
      ['key 0', 'key 1', 'key 2', 'key 3', 'key 4', 'key 5', 'key 6', 'Other'],
    );
    assert.equal(series[7]?.requests.at(-1), 5);
    assert.equal(view(many.slice(0, 8)).series.at(-1)?.name, 'key 7');
  });

  it('adds models that were too many to list to the others, which come last', () => {
    const sums = [sum({ model: OTHER_MODELS, tokensIn: 1000 }), sum(), sum({ model: 'x', tokensIn: 1 })];
    assert.deepEqual(
      view(sums, 'day', 'model').series.map(({ name }) => name),
      ['glm', 'x', 'Other'],
    );
  });

  it('shows the median and the 95th percentile of all clients together, and nothing where there was no response', () => {
    const { median, percentile95 } = view([
      sum({ firstByte: { [bucketOf(100)]: 90 } }),
      sum({ caller: 'b', firstByte: { [bucketOf(5000)]: 10 } }),
    ]);
    assert.ok(Math.abs((median.at(-1) ?? 0) - 100) < 15);
    assert.ok(Math.abs((percentile95.at(-1) ?? 0) - 5000) < 750);
    assert.equal(median.at(-2), null);
    assert.equal(percentile95.at(-2), null);
  });

  it('shows a hostile model as one short line of visible characters', () => {
    const [series] = view([sum({ model: `\u202e<i>\u001b${'z'.repeat(10_000)}` })], 'day', 'model').series;
    assert.ok(series?.name.startsWith('\ufffd<i>\ufffdzz') && series.name.length <= 200);
  });

  describe('by the day, in a time zone whose clocks change', () => {
    const zone = process.env['TZ'];
    before(() => {
      process.env['TZ'] = 'Europe/Berlin';
    });
    after(() => {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    });

    for (const [name, day, hours] of [
      ['23 hours', [2026, 2, 29], 23],
      ['25 hours', [2026, 9, 25], 25],
    ] as const) {
      it(`puts each hour into its local day: a day of ${name}`, () => {
        const start = new Date(day[0], day[1], day[2]).getTime();
        const sums = Array.from({ length: 49 }, (_, index) => sum({ hour: start + (index - 12) * HOUR }));
        const { times, series } = view(sums, 'quarter', 'client', start + 60 * HOUR);
        const at = times.indexOf(start);
        assert.notEqual(at, -1);
        assert.equal(new Date(times[at + 1] ?? 0).getHours(), 0);
        assert.deepEqual(series[0]?.requests.slice(at - 1, at + 3), [12, hours, 37 - hours, 0]);
      });
    }
  });
});
