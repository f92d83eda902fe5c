import assert from 'node:assert/strict';
import { UsageTally } from '../../../../src/proxy/usage/usageTally.ts';
import { DIRECT, UNKNOWN, parseUsage } from '../../../../src/shared/usage.ts';
import type { KeyUsage, Outcomes } from '../../../../src/shared/usage.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const NONE: Outcomes = { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 };
const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const ANSWER = Buffer.from('{"usage":{"prompt_tokens":3,"completion_tokens":5}}');
const ID = '0123456789abcdef';

describe('UsageTally', () => {
  let clock: FakeClock;
  let tally: UsageTally;

  beforeEach(() => {
    clock = new FakeClock();
    tally = new UsageTally(clock);
  });

  /** One request that gets this response, after `wait` milliseconds. */
  const ask = async ({ caller = ID, status = 200, wait = 0, end = 'complete', answer = ANSWER } = {}) => {
    const meter = tally.begin(caller);
    await clock.advance(wait);
    meter.start({ status, headers: JSON_TYPE });
    meter.chunk(answer);
    meter.finish({ end });
  };
  const usageOf = (caller: string): KeyUsage => {
    const found = tally.report().keys.find((key) => key.caller === caller);
    assert.ok(found, caller);
    return found;
  };

  it('is empty until the first request is over', async () => {
    const since = clock.wall();
    tally.begin(ID).start({ status: 200, headers: JSON_TYPE });
    await clock.advance(1000);
    assert.deepEqual(tally.report(), { since, keys: [] });
  });

  it('adds up the requests and tokens of each key separately', async () => {
    await ask();
    await ask({ wait: 40 });
    await ask({ caller: DIRECT, answer: Buffer.from('{}') });
    const { outcomes, tokensIn, tokensOut, counted, lastAt } = usageOf(ID);
    assert.deepEqual([outcomes, tokensIn, tokensOut, counted], [{ ...NONE, answered: 2 }, 6, 10, 2]);
    assert.equal(lastAt, clock.wall());
    assert.deepEqual([usageOf(DIRECT).tokensIn, usageOf(DIRECT).counted], [0, 0]);
  });

  it('adds up the time that the requests of a key waited for capacity', async () => {
    for (const waits of [[], [20, 30], [50]]) {
      const meter = tally.begin(ID);
      for (const wait of waits) meter.waited(wait);
      meter.finish({ end: 'complete' });
    }
    await ask({ caller: DIRECT });
    assert.equal(usageOf(ID).waitedMs, 100);
    assert.ok(!('waitedMs' in usageOf(DIRECT)));
  });

  for (const [what, outcome, act] of [
    ['gets a response', 'answered', () => ask()],
    ['gets a response of status 399', 'answered', () => ask({ status: 399 })],
    ['gets an error of the backend', 'failed', () => ask({ status: 400 })],
    ['breaks during its response', 'broken', () => ask({ end: 'truncated' })],
    ['breaks during its error', 'broken', () => ask({ status: 500, end: 'network' })],
    ['loses its client', 'cancelled', () => ask({ end: 'client-gone' })],
    [
      'gets no response',
      'broken',
      () => {
        tally.begin(ID).finish({ end: 'network' });
      },
    ],
    [
      'is refused by the proxy',
      'refused',
      () => {
        const meter = tally.begin(ID);
        meter.refuse();
        meter.finish({ end: 'complete' });
      },
    ],
    [
      'is refused during its response',
      'refused',
      () => {
        const meter = tally.begin(ID);
        meter.start({ status: 200, headers: JSON_TYPE });
        meter.refuse();
        meter.finish({ end: 'upload_timeout' });
      },
    ],
  ] as const) {
    it(`counts as ${outcome} a request that ${what}`, async () => {
      await act();
      assert.deepEqual(usageOf(ID).outcomes, { ...NONE, [outcome]: 1 });
    });
  }

  it('counts no tokens and no time of an error', async () => {
    await ask({ status: 500, wait: 10 });
    const { tokensIn, counted, firstByte } = usageOf(ID);
    assert.deepEqual([tokensIn, counted, firstByte], [0, 0, null]);
  });

  it('measures the time to the first byte of the body, and reports the median of the last 100', async () => {
    for (const wait of [900, 10, 20]) await ask({ wait });
    assert.equal(usageOf(ID).firstByte, 20);
    await ask({ wait: 15 });
    assert.equal(usageOf(ID).firstByte, 15);
    for (let count = 0; count < 100; count++) await ask({ wait: 70 });
    assert.equal(usageOf(ID).firstByte, 70);
    const meter = tally.begin(UNKNOWN);
    meter.start({ status: 200, headers: JSON_TYPE });
    await clock.advance(30);
    for (const byte of ANSWER) {
      meter.chunk(Uint8Array.of(byte));
      await clock.advance(1);
    }
    meter.finish({ end: 'complete' });
    assert.deepEqual([usageOf(UNKNOWN).firstByte, usageOf(UNKNOWN).tokensOut], [30, 5]);
  });

  it('makes a report that parseUsage() can read, and that contains nothing of a response', async () => {
    await ask({ answer: Buffer.from('{"content":"secret","usage":{"prompt_tokens":1,"note":"secret"}}') });
    const json = JSON.stringify(tally.report());
    assert.deepEqual(parseUsage(json), tally.report());
    assert.doesNotMatch(json, /secret/);
    assert.equal(usageOf(ID).counted, 1);
  });
});
