import assert from 'node:assert/strict';
import { RequestEntry } from '../../../../src/proxy/usage/requestEntry.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { logAt } from '../../../support/logs.ts';

const PATH = '/v1/chat/completions';
const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const ANSWER = Buffer.from(
  '{"model":"glm-5","usage":{"prompt_tokens":3,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":2}}}',
);

describe('RequestEntry', () => {
  let clock: FakeClock;
  let entry: RequestEntry;

  beforeEach(() => {
    clock = new FakeClock();
    entry = new RequestEntry('POST', PATH, null, clock);
  });

  const respond = (status = 200) => {
    entry.startedByBackend({ status, headers: JSON_TYPE });
  };
  const record = () => entry.record(7, 'someone', false);

  describe('has taken', () => {
    const ask = () => {
      entry.received(Buffer.alloc(400));
    };

    it('the tokens that the backend reports', () => {
      ask();
      respond();
      entry.chunk(ANSWER);
      assert.equal(entry.spentTokens, 8);
    });

    it('about a token for 4 bytes if it reports none', () => {
      ask();
      respond();
      entry.bytesOut = 40;
      assert.equal(entry.spentTokens, 110);
    });

    for (const end of ['client-gone', 'timeout', 'shutdown']) {
      it(`those of the prompt if it ends with ${end} before the response`, () => {
        ask();
        entry.end = end;
        assert.equal(entry.spentTokens, 100);
      });
    }

    it('none if the backend could not be reached', () => {
      ask();
      entry.end = 'network';
      entry.started(502);
      assert.equal(entry.spentTokens, 0);
    });

    it('none if the backend or the proxy refuses it', () => {
      ask();
      respond(429);
      assert.equal(entry.spentTokens, 0);
      entry.refuse();
      assert.equal(entry.spentTokens, 0);
    });
  });

  describe('has a record', () => {
    it('of times, tokens and the model, and of nothing else of the response', async () => {
      const begun = { id: 7, at: clock.wall(), caller: 'someone', method: 'POST', path: PATH };
      const unknown = { isCheck: false, requestedModel: null, isUnsent: false, detail: null };
      const running = {
        ...unknown,
        model: null,
        tokensIn: null,
        tokensOut: null,
        tokensCached: null,
        outcome: null,
        end: '',
      };
      await clock.advance(10.04);
      assert.deepEqual(record(), { ...begun, ...running, status: 0, firstByteMs: null, durationMs: 10 });
      respond();
      await clock.advance(20);
      entry.chunk(ANSWER.subarray(0, 20));
      await clock.advance(30);
      assert.deepEqual(record(), { ...begun, ...running, status: 200, firstByteMs: 30, durationMs: 60 });
      entry.chunk(ANSWER.subarray(20));
      assert.deepEqual(entry.record(7, 'someone', true), {
        ...begun,
        ...unknown,
        model: 'glm-5',
        status: 200,
        firstByteMs: 30,
        durationMs: 60,
        tokensIn: 3,
        tokensOut: 5,
        tokensCached: 2,
        outcome: 'answered',
        end: 'complete',
      });
    });

    for (const [what, outcome, end, status, isRefused] of [
      ['gets a response', 'answered', 'complete', 200, false],
      ['gets a response of status 399', 'answered', 'complete', 399, false],
      ['gets an error of the backend', 'failed', 'complete', 400, false],
      ['breaks during its response', 'broken', 'truncated', 200, false],
      ['breaks during its error', 'broken', 'network', 500, false],
      ['loses its client', 'cancelled', 'client-gone', 200, false],
      ['gets no response', 'broken', 'network', undefined, false],
      ['is refused by the proxy', 'refused', 'complete', undefined, true],
      ['is refused during its response', 'refused', 'upload_timeout', 200, true],
    ] as const) {
      it(`with the outcome ${outcome} if it ${what}`, () => {
        if (status !== undefined) respond(status);
        if (isRefused) entry.refuse();
        entry.end = end;
        const { outcome: recorded, end: recordedEnd } = entry.record(7, 'someone', true);
        assert.deepEqual([entry.outcome, recorded, recordedEnd], [outcome, outcome, end]);
      });
    }

    it('of the model that the client asked for, once the body is complete', () => {
      const body = Buffer.from('{"messages":[{"model":"x","content":"\\"model\\":\\"y\\""}],"model":"gpt-x","n":1}');
      for (let at = 0; at < body.length; at++) {
        assert.equal(record().requestedModel, null);
        entry.received(body.subarray(at, at + 1));
      }
      assert.deepEqual([record().requestedModel, entry.bytesIn], ['gpt-x', body.length]);
    });

    it('of no model that contains a key', () => {
      entry.hasKey = (text) => text.includes('secret');
      entry.received(Buffer.from('{"model":"the-secret"}'));
      entry.started(404);
      assert.equal(record().requestedModel, null);
    });

    it('of at most 200 characters of that model, and of none that is not a text or in a body that is too long', () => {
      const requested = (...chunks: readonly string[]) => {
        entry = new RequestEntry('POST', PATH, null, clock);
        for (const chunk of chunks) entry.received(Buffer.from(chunk));
        return record().requestedModel;
      };
      assert.equal(requested(JSON.stringify({ model: 'm'.repeat(300) })), 'm'.repeat(200));
      for (const model of [7, { name: 'x' }, '', 'm'.repeat(5000)])
        assert.equal(requested(JSON.stringify({ model })), null);
      assert.equal(requested('no JSON'), null);
      assert.equal(requested('{"model":"x"', ' '.repeat(5 * 1024 * 1024), '}'), null);
    });

    it('of the cause of an error, when it is over', () => {
      Object.assign(entry, { end: 'network', detail: 'ECONNRESET' });
      assert.deepEqual([record().detail, entry.record(7, 'someone', true).detail], [null, 'ECONNRESET']);
    });

    it('with the reason why the client was refused', () => {
      entry.refuse();
      entry.reason = 'no_key';
      assert.equal(entry.record(7, 'someone', true).detail, 'no_key');
    });

    it('without tokens, a model and a time of an error', () => {
      respond(500);
      entry.chunk(ANSWER);
      const { tokensIn, model, firstByteMs } = record();
      assert.deepEqual([tokensIn, model, firstByteMs], [null, null, null]);
    });

    it('of the response to the request that was sent again, after an error', () => {
      respond(429);
      entry.chunk(Buffer.from('{"model":"busy"}'));
      respond();
      entry.chunk(ANSWER);
      assert.deepEqual([record().model, record().tokensOut], ['glm-5', 5]);
    });
  });

  describe('writes a line', () => {
    const lineOf = () => {
      const { log, lines } = logAt('info');
      entry.write(log);
      return lines()[0] ?? assert.fail();
    };

    it('with the request, the response and the time that they took', async () => {
      entry.bytesIn = 10;
      await clock.advance(3.14);
      entry.started(200);
      entry.bytesOut = 20;
      await clock.advance(5);
      const { time, ...rest } = lineOf();
      assert.equal(typeof time, 'string');
      assert.deepEqual(rest, {
        level: 'info',
        event: 'request',
        method: 'POST',
        path: PATH,
        status: 200,
        bytesIn: 10,
        client: 'none',
        bytesOut: 20,
        startMs: 3.1,
        endMs: 8.1,
        end: 'complete',
      });
    });

    it('with the ID that the client was told', () => {
      entry = new RequestEntry('POST', '/', 'req_1');
      assert.equal(lineOf()['requestId'], 'req_1');
    });

    it('without a start time if no response started', () => {
      entry.end = 'client-gone';
      const { startMs, status, end } = lineOf();
      assert.deepEqual([startMs, status, end], [null, 0, 'client-gone']);
    });

    it('with the first start time and the last status', async () => {
      entry.started(200);
      await clock.advance(3);
      entry.started(502);
      const { startMs, endMs, status } = lineOf();
      assert.deepEqual([startMs, endMs, status], [0, 3, 502]);
    });

    it('with the time that the request waited, and the start of the last response', async () => {
      entry.started(429);
      await clock.advance(3);
      entry.waited(3);
      entry.started(200);
      const { startMs, waitedMs, status } = lineOf();
      assert.deepEqual([startMs, waitedMs, status], [3, 3, 200]);
    });

    it('with the model that was asked for only if it may be why the backend did not accept the request', () => {
      entry.received(Buffer.from('{"model": "gpt-\u202e4o", "messages": "secret"}'));
      for (const status of [200, 401, 400, 404]) {
        entry.started(status);
        const { requestedModel, note } = lineOf();
        const expected = status === 400 || status === 404 ? 'gpt-\ufffd4o' : undefined;
        assert.deepEqual([requestedModel, note !== undefined], [expected, expected !== undefined], String(status));
      }
    });

    it('that is a warning with the cause if the request failed, otherwise information', () => {
      for (const [end, detail, level] of [
        ['complete', null, 'info'],
        ['client-gone', null, 'info'],
        ['network', 'ECONNRESET', 'warn'],
        ['timeout', null, 'warn'],
      ] as const) {
        entry.end = end;
        entry.detail = detail;
        const line = lineOf();
        assert.deepEqual([line.level, line['detail']], [level, detail ?? undefined]);
        const quiet = logAt('warn');
        entry.write(quiet.log);
        assert.equal(quiet.lines().length, level === 'warn' ? 1 : 0);
      }
    });
  });
});
