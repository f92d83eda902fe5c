import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bucketOf, isHistogram, mergeHistograms, percentile } from '../../../src/shared/usage.ts';

const histogramOf = (times: readonly number[]) => mergeHistograms(times.map((time) => ({ [bucketOf(time)]: 1 })));

describe('percentile()', () => {
  it('is null for an empty histogram', () => {
    for (const empty of [{}, { '3': 0 }]) assert.equal(percentile(empty, 50), null);
  });

  it('is within 10 % of the nearest rank of the times themselves, from a millisecond to nine hours', () => {
    const times = fc.array(fc.double({ min: 1, max: 2 ** 25, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 100 }), (measured, percent) => {
        const sorted = measured.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
        const found = percentile(histogramOf(measured), percent) ?? Number.NaN;
        assert.ok(Math.abs(found / exact - 1) < 0.1, `${found} instead of ${exact}`);
      }),
    );
  });

  it('separates a few slow responses from many fast ones', () => {
    const histogram = histogramOf([...Array<number>(94).fill(200), ...Array<number>(6).fill(9000)]);
    const [median, percentile95] = [percentile(histogram, 50) ?? 0, percentile(histogram, 95) ?? 0];
    assert.ok(median > 180 && median < 220, `${median}`);
    assert.ok(percentile95 > 8100 && percentile95 < 9900, `${percentile95}`);
  });
});

describe('bucketOf()', () => {
  it('has four buckets for each doubling, the first one below a millisecond and the last one without an end', () => {
    assert.deepEqual([0, 0.2, 1, 1.18].map(bucketOf), [0, 0, 0, 0]);
    assert.deepEqual([2, 4, 8, 1024, 1025].map(bucketOf), [4, 8, 12, 40, 40]);
    assert.deepEqual([2 ** 25, 2 ** 40, Infinity].map(bucketOf), [100, 100, 100]);
  });
});

describe('mergeHistograms()', () => {
  it('adds up each bucket', () => {
    assert.deepEqual(mergeHistograms([]), {});
    assert.deepEqual(mergeHistograms([{ '1': 1, '7': 2 }, { '7': 3 }, {}, { '100': 1 }]), { '1': 1, '7': 5, '100': 1 });
  });
});

describe('isHistogram()', () => {
  it('accepts only counts by the number of a bucket', () => {
    for (const good of [{}, { '0': 1, '100': 2.5 }]) assert.ok(isHistogram(good));
    for (const bad of [null, [1], { '101': 1 }, { '-1': 1 }, { x: 1 }, { '1': -1 }, { '1': '1' }, { '1': null }])
      assert.ok(!isHistogram(bad), JSON.stringify(bad));
    assert.ok(!isHistogram(JSON.parse('{"__proto__":1}')));
  });
});
