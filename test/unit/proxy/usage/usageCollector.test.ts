import assert from 'node:assert/strict';
import { UsageCollector } from '../../../../src/proxy/usage/usageCollector.ts';
import { HOUR, hourOf, isUsageSum } from '../../../../src/shared/activity.ts';
import type { UsageSum } from '../../../../src/shared/activity.ts';
import { parseFromProxy } from '../../../../src/shared/messages.ts';
import { OTHER_MODELS, bucketOf } from '../../../../src/shared/usage.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { requestRecord } from '../../../support/requestRecords.ts';

const RECORD = requestRecord({ at: 0, caller: '0123456789abcdef' });

describe('UsageCollector', () => {
  let clock: FakeClock;
  let messages: { readonly since: number; readonly sums: readonly UsageSum[] }[];
  let collector: UsageCollector;

  beforeEach(() => {
    clock = new FakeClock();
    messages = [];
    collector = new UsageCollector(clock, (message) => {
      assert.deepEqual(parseFromProxy(message), message);
      messages.push({ since: message.since, sums: message.sums });
    });
  });

  it('sends the sums of ten seconds, and nothing while there is nothing new', async () => {
    assert.equal(clock.timers, 0);
    const since = clock.wall();
    collector.add(RECORD);
    await clock.advance(4000);
    collector.add({ ...RECORD, firstByteMs: 51, tokensCached: null });
    await clock.advance(5999);
    assert.equal(messages.length, 0);
    await clock.advance(1);
    const { caller, model } = RECORD;
    const sum = { hour: hourOf(since), caller, model, requests: 2, errors: 0, cancelled: 0 };
    const tokens = { tokensIn: 20, tokensOut: 40, tokensCached: 4 };
    assert.deepEqual(messages, [{ since, sums: [{ ...sum, ...tokens, firstByte: { [bucketOf(50)]: 2 } }] }]);
    assert.equal(clock.timers, 0);
    await clock.advance(60_000);
    assert.equal(messages.length, 1);
    collector.add(RECORD);
    await clock.advance(10_000);
    assert.deepEqual(
      messages[1]?.sums.map(({ requests }) => requests),
      [1],
    );
  });

  it('adds up each hour, caller and model separately', async () => {
    await clock.advance(HOUR - 5000 - (clock.wall() % HOUR));
    for (const change of [{}, { caller: 'other' }, { model: 'big' }, { model: null }, {}]) {
      collector.add({ ...RECORD, ...change });
    }
    await clock.advance(6000);
    collector.add(RECORD);
    collector.flush();
    const [{ sums } = { sums: [] }] = messages;
    const first = hourOf(clock.wall()) - HOUR;
    assert.deepEqual(
      sums.map(({ hour, caller, model, requests }) => [(hour - first) / HOUR, caller, model, requests]),
      [
        [0, RECORD.caller, 'glm-5', 2],
        [0, 'other', 'glm-5', 1],
        [0, RECORD.caller, 'big', 1],
        [0, RECORD.caller, '', 1],
        [1, RECORD.caller, 'glm-5', 1],
      ],
    );
    assert.ok(sums.every(isUsageSum));
  });

  it('counts errors and cancelled requests, and adds no time for those without a response', () => {
    for (const outcome of ['answered', 'refused', 'failed', 'broken', 'cancelled'] as const)
      collector.add({ ...RECORD, outcome, firstByteMs: null, tokensIn: null, tokensOut: null, tokensCached: null });
    collector.flush();
    const [sum] = messages[0]?.sums ?? [];
    const { requests, errors, cancelled, tokensIn, firstByte } = sum ?? assert.fail();
    assert.deepEqual([requests, errors, cancelled, tokensIn, firstByte], [5, 3, 1, 0, {}]);
  });

  it('does not count requests that only read, as windows send them regularly', () => {
    collector.add({ ...RECORD, method: 'GET', path: '/v1/models' });
    collector.flush();
    assert.deepEqual([messages, clock.timers], [[], 0]);
  });

  it('sends nothing of what was erased', async () => {
    collector.add(RECORD);
    await clock.advance(9000);
    collector.erase();
    await clock.advance(2000);
    const since = clock.wall();
    collector.add(RECORD);
    await clock.advance(10_000);
    assert.deepEqual(
      messages.map((message) => [message.since, message.sums.map(({ requests }) => requests)]),
      [[since, [1]]],
    );
  });

  it('lists 32 models of each hour, and adds up the others under one name', async () => {
    const count = (requests: number) => {
      for (let each = 0; each < requests; each++) collector.add({ ...RECORD, model: `model ${each}` });
    };
    count(20);
    collector.flush();
    count(1000);
    collector.add({ ...RECORD, model: null });
    collector.flush();
    const models = messages[1]?.sums.map(({ model, requests }) => [model, requests]) ?? [];
    assert.equal(models.length, 34);
    assert.deepEqual(models.slice(-3), [
      ['model 31', 1],
      [OTHER_MODELS, 968],
      ['', 1],
    ]);
    await clock.advance(HOUR);
    count(1);
    collector.add({ ...RECORD, model: 'model 999' });
    collector.flush();
    assert.deepEqual(
      messages[2]?.sums.map(({ model }) => model),
      ['model 0', 'model 999'],
    );
  });
});
