import assert from 'node:assert/strict';
import { parseUsage } from '../../../src/shared/usage.ts';
import type { UsageReport } from '../../../src/shared/usage.ts';

const REPORT: UsageReport = {
  since: 1_700_000_000_000,
  keys: [
    {
      caller: '0123456789abcdef',
      outcomes: { answered: 1, refused: 2, failed: 3, broken: 4, cancelled: 5 },
      tokensIn: 6,
      tokensOut: 7,
      counted: 1,
      firstByte: 12.5,
      lastAt: 1_700_000_000_001,
    },
  ],
};

describe('parseUsage()', () => {
  it('reads a valid report', () => {
    const [key] = REPORT.keys;
    for (const report of [
      REPORT,
      { ...REPORT, keys: [] },
      { ...REPORT, keys: [{ ...key, firstByte: null, waitedMs: 7 }] },
    ]) {
      assert.deepEqual(parseUsage(JSON.stringify(report)), report);
    }
  });

  it('refuses every other shape', () => {
    const [key] = REPORT.keys;
    const wrongKeys = [null, 7, [], { ...key, caller: 7 }, { ...key, outcomes: {} }, { ...key, tokensIn: -1 }, {}];
    for (const wrong of [null, 7, [], {}, { ...REPORT, since: 'x' }, { ...REPORT, keys: {} }]) {
      assert.equal(parseUsage(JSON.stringify(wrong)), undefined);
    }
    for (const wrong of [
      ...wrongKeys,
      { ...key, firstByte: '1' },
      { ...key, lastAt: undefined },
      { ...key, waitedMs: '1' },
    ]) {
      assert.equal(parseUsage(JSON.stringify({ ...REPORT, keys: [wrong] })), undefined, JSON.stringify(wrong));
    }
    for (const text of ['', '{', '{"status":"ok","service":"sealed-proxy","version":"1.0.0"}']) {
      assert.equal(parseUsage(text), undefined, text);
    }
  });
});
