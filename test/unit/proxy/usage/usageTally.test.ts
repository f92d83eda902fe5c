import assert from 'node:assert/strict';
import { UsageTally } from '../../../../src/proxy/usage/usageTally.ts';
import type { RequestRecord } from '../../../../src/shared/activity.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const RECORD: RequestRecord = {
  ...{ id: 1, at: 0, caller: 'one', method: 'POST', path: '/v1/chat/completions', model: 'glm-5' },
  ...{ status: 200, firstByteMs: 50, durationMs: 90, tokensIn: 10, tokensOut: 20, tokensCached: 4 },
  ...{ outcome: 'answered', end: 'complete' },
};

describe('UsageTally', () => {
  it('adds up the requests of each key separately', () => {
    const clock = new FakeClock();
    const tally = new UsageTally(clock);
    const [since, outcomes] = [clock.wall(), { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 }];
    assert.deepEqual(tally.report(), { since, keys: [] });
    for (const firstByteMs of [900, 10, 20]) tally.add({ ...RECORD, firstByteMs }, 5);
    tally.add({ ...RECORD, caller: 'two', outcome: 'failed', firstByteMs: null, tokensIn: null }, 0);
    const one = { outcomes: { ...outcomes, answered: 3 }, tokensIn: 30, tokensOut: 60, counted: 3, waitedMs: 15 };
    const two = { outcomes: { ...outcomes, failed: 1 }, tokensIn: 0, tokensOut: 0, counted: 0 };
    assert.deepEqual(tally.report().keys, [
      { caller: 'one', ...one, firstByte: 20, lastAt: since },
      { caller: 'two', ...two, firstByte: null, lastAt: since },
    ]);
    for (let count = 0; count < 100; count++) tally.add({ ...RECORD, firstByteMs: 70 }, 0);
    assert.equal(tally.report().keys[0]?.firstByte, 70);
  });
});
