import assert from 'node:assert/strict';
import { UsageTally } from '../../../../src/proxy/usage/usageTally.ts';
import { DIRECT, UNKNOWN, parseUsage } from '../../../../src/shared/usage.ts';
import type { KeyUsage, Outcomes } from '../../../../src/shared/usage.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const NONE: Outcomes = { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 };
const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const ANSWER = Buffer.from('{"usage":{"prompt_tokens":3,"completion_tokens":5}}');
const ID = '0123456789abcdef';

describe('The tally of what was used', () => {
  let clock: FakeClock;
  let tally: UsageTally;

  beforeEach(() => {
    clock = new FakeClock();
    tally = new UsageTally(clock);
  });

  /** One request that is answered so, after so many milliseconds. */
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

  it('has nothing but its beginning at first, nor while a request runs', async () => {
    const since = clock.wall();
    tally.begin(ID).start({ status: 200, headers: JSON_TYPE });
    await clock.advance(1000);
    assert.deepEqual(tally.report(), { since, keys: [] });
  });

  it('adds up the requests and tokens of each key by itself', async () => {
    await ask();
    await ask({ wait: 40 });
    await ask({ caller: DIRECT, answer: Buffer.from('{}') });
    const { outcomes, tokensIn, tokensOut, counted, lastAt } = usageOf(ID);
    assert.deepEqual([outcomes, tokensIn, tokensOut, counted], [{ ...NONE, answered: 2 }, 6, 10, 2]);
    assert.equal(lastAt, clock.wall());
    assert.deepEqual([usageOf(DIRECT).tokensIn, usageOf(DIRECT).counted], [0, 0]);
  });

  for (const [what, outcome, act] of [
    ['has an answer', 'answered', () => ask()],
    ['has an answer of status 399', 'answered', () => ask({ status: 399 })],
    ['has a refusal of the backend', 'failed', () => ask({ status: 400 })],
    ['breaks in its answer', 'broken', () => ask({ end: 'truncated' })],
    ['breaks in its refusal', 'broken', () => ask({ status: 500, end: 'network' })],
    ['is left by its client', 'cancelled', () => ask({ end: 'client-gone' })],
    [
      'has no answer',
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
      'is refused in the middle of its answer',
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

  it('counts no tokens of a refusal, and no time', async () => {
    await ask({ status: 500, wait: 10 });
    const { tokensIn, counted, firstByte } = usageOf(ID);
    assert.deepEqual([tokensIn, counted, firstByte], [0, 0, null]);
  });

  it('measures to the first byte of the body, and says the median of the last 100', async () => {
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

  it('reports what can be read again, and nothing of an answer', async () => {
    await ask({ answer: Buffer.from('{"content":"secret","usage":{"prompt_tokens":1,"note":"secret"}}') });
    const json = JSON.stringify(tally.report());
    assert.deepEqual(parseUsage(json), tally.report());
    assert.doesNotMatch(json, /secret/);
    assert.equal(usageOf(ID).counted, 1);
  });
});
