import assert from 'node:assert/strict';
import { RequestMeter } from '../../../../src/proxy/usage/requestMeter.ts';
import type { RequestRecord } from '../../../../src/shared/activity.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const ANSWER = Buffer.from(
  '{"model":"glm-5","usage":{"prompt_tokens":3,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":2}}}',
);
const OK = { status: 200, headers: JSON_TYPE };

describe('RequestMeter', () => {
  let clock: FakeClock;
  let entry: { method: string; path: string; status: number; end: string };
  let records: RequestRecord[];
  let meter: RequestMeter;

  beforeEach(() => {
    clock = new FakeClock();
    entry = { method: 'POST', path: '/v1/chat/completions', status: 0, end: 'complete' };
    records = [];
    const onFinish = (record: RequestRecord) => {
      records.push(record);
    };
    meter = new RequestMeter({ id: 7, caller: 'someone', entry, clocks: clock, onFinish });
  });

  it('records times, tokens and the model of a request, and nothing else of its response', async () => {
    const at = clock.wall();
    const begun = { id: 7, at, caller: 'someone', method: 'POST', path: '/v1/chat/completions' };
    const nothing = { model: null, tokensIn: null, tokensOut: null, tokensCached: null };
    const running = { outcome: null, end: '' };
    await clock.advance(10.04);
    assert.deepEqual(meter.record, {
      ...{ ...begun, ...nothing, ...running },
      ...{ status: 0, firstByteMs: null, durationMs: 10 },
    });
    meter.start(OK);
    entry.status = 200;
    await clock.advance(20);
    meter.chunk(ANSWER.subarray(0, 20));
    await clock.advance(30);
    assert.deepEqual(meter.record, {
      ...{ ...begun, ...nothing, ...running },
      ...{ status: 200, firstByteMs: 30, durationMs: 60 },
    });
    meter.chunk(ANSWER.subarray(20));
    meter.finish();
    const tokens = { tokensIn: 3, tokensOut: 5, tokensCached: 2 };
    const finished = { outcome: 'answered', end: 'complete', model: 'glm-5', status: 200, ...tokens } as const;
    assert.deepEqual(records, [{ ...begun, ...finished, firstByteMs: 30, durationMs: 60 }]);
  });

  for (const [what, outcome, end, act] of [
    [
      'gets a response',
      'answered',
      'complete',
      () => {
        meter.start(OK);
      },
    ],
    [
      'gets a response of status 399',
      'answered',
      'complete',
      () => {
        meter.start({ ...OK, status: 399 });
      },
    ],
    [
      'gets an error of the backend',
      'failed',
      'complete',
      () => {
        meter.start({ ...OK, status: 400 });
      },
    ],
    [
      'breaks during its response',
      'broken',
      'truncated',
      () => {
        meter.start(OK);
      },
    ],
    [
      'breaks during its error',
      'broken',
      'network',
      () => {
        meter.start({ ...OK, status: 500 });
      },
    ],
    [
      'loses its client',
      'cancelled',
      'client-gone',
      () => {
        meter.start(OK);
      },
    ],
    ['gets no response', 'broken', 'network', () => undefined],
    [
      'is refused by the proxy',
      'refused',
      'complete',
      () => {
        meter.refuse();
      },
    ],
    [
      'is refused during its response',
      'refused',
      'upload_timeout',
      () => {
        meter.start(OK);
        meter.refuse();
      },
    ],
  ] as const) {
    it(`ends as ${outcome} for a request that ${what}`, () => {
      act();
      entry.end = end;
      assert.equal(meter.finish(), outcome);
      assert.deepEqual(
        records.map((record) => [record.outcome, record.end]),
        [[outcome, end]],
      );
    });
  }

  it('counts no tokens, no model and no time of an error', () => {
    meter.start({ ...OK, status: 500 });
    meter.chunk(ANSWER);
    const { tokensIn, model, firstByteMs } = meter.record;
    assert.deepEqual([tokensIn, model, firstByteMs], [null, null, null]);
  });

  it('reads the response to the request that was sent again, after an error', () => {
    meter.start({ ...OK, status: 429 });
    meter.chunk(Buffer.from('{"model":"busy"}'));
    meter.start(OK);
    meter.chunk(ANSWER);
    assert.deepEqual([meter.record.model, meter.record.tokensOut], ['glm-5', 5]);
  });
});
