import assert from 'node:assert/strict';
import { HOUR, UsageTable, hourOf, isUsageSum, parseActivity } from '../../../src/shared/activity.ts';
import type { ActivityReport, RequestRecord } from '../../../src/shared/activity.ts';
import { requestRecord, usageSum } from '../../support/requestRecords.ts';

const RECORD = requestRecord({ firstByteMs: 50.5 });
const RUNNING: RequestRecord = {
  ...{ ...RECORD, model: null, firstByteMs: null, tokensIn: null, tokensOut: null, tokensCached: null },
  ...{ outcome: null, end: '' },
};
const REPORT: ActivityReport = { instance: 'x', running: [RUNNING], finished: [RECORD], cursor: 7 };

describe('parseActivity()', () => {
  it('reads a valid report', () => {
    for (const report of [REPORT, { ...REPORT, running: [], finished: [] }])
      assert.deepEqual(parseActivity(JSON.stringify(report)), report);
  });

  it('refuses every other shape', () => {
    const health = { status: 'ok', service: 'sealed-proxy', version: '0.6.0' };
    for (const wrong of [null, 7, [], {}, health, { ...REPORT, instance: 1 }, { ...REPORT, cursor: -1 }]) {
      assert.equal(parseActivity(JSON.stringify(wrong)), undefined, JSON.stringify(wrong));
    }
    for (const record of [null, {}, ...wrongFields()]) {
      assert.equal(parseActivity(JSON.stringify({ ...REPORT, running: [record] })), undefined, JSON.stringify(record));
      assert.equal(parseActivity(JSON.stringify({ ...REPORT, finished: [RECORD, record] })), undefined);
    }
    assert.equal(parseActivity('{'), undefined);
  });

  /** A record without each of its fields, or with a value of the wrong type. */
  function wrongFields(): object[] {
    return Object.keys(RECORD).flatMap((field) => [
      Object.fromEntries(Object.entries(RECORD).filter(([name]) => name !== field)),
      ...[true, [], 'toString', -1]
        .filter((value) => value !== true || !['isCheck', 'isUnsent'].includes(field))
        .filter(
          (value) =>
            typeof value !== 'string' ||
            !['caller', 'method', 'path', 'model', 'requestedModel', 'end', 'detail'].includes(field),
        )
        .map((value) => ({ ...RECORD, [field]: value })),
    ]);
  }
});

const SUM = usageSum({ hour: 7 * HOUR });

describe('UsageTable', () => {
  it('adds up sums of the same hour, caller and model', () => {
    const table = new UsageTable();
    assert.ok(table.isEmpty);
    const others = [{ hour: 8 * HOUR }, { caller: 'x' }, { model: '' }].map((change) => ({ ...SUM, ...change }));
    for (const sum of [SUM, ...others, { ...SUM, firstByte: { '12': 1, '13': 1 } }]) table.add(sum);
    const counts = { requests: 10, errors: 4, cancelled: 2, tokensIn: 20, tokensOut: 40, tokensCached: 8 };
    assert.deepEqual(table.sums, [{ ...SUM, ...counts, firstByte: { '12': 3, '13': 1 } }, ...others]);
    assert.deepEqual([SUM.requests, SUM.firstByte], [5, { '12': 2 }], 'what was added stays as it is');
    const [before] = table.sums;
    table.add(SUM);
    assert.equal(before?.requests, 10, 'what was read stays as it is');
    table.clear();
    assert.deepEqual([table.isEmpty, table.sums], [true, []]);
  });
});

describe('isUsageSum()', () => {
  it('requires every field with its type', () => {
    assert.ok(isUsageSum(SUM));
    for (const field of Object.keys(SUM)) {
      for (const value of [undefined, null, true, -1, [7]])
        assert.ok(!isUsageSum({ ...SUM, [field]: value }), `${field}: ${String(value)}`);
    }
    assert.ok(!isUsageSum({ ...SUM, hour: 5 }), 'the start of an hour');
  });
});

describe('hourOf()', () => {
  it('is the start of the hour', () => {
    const noon = Date.UTC(2026, 5, 1, 12);
    assert.deepEqual([noon, noon + 1, noon + HOUR - 1, noon + HOUR].map(hourOf), [noon, noon, noon, noon + HOUR]);
  });
});
