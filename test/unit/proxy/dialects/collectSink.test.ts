import assert from 'node:assert/strict';
import { CollectSink, keptHeaders } from '../../../../src/proxy/dialects/collectSink.ts';
import type { Collected } from '../../../../src/proxy/dialects/collectSink.ts';
import { PROXY_ERRORS, errorBody } from '../../../../src/proxy/http/openaiErrors.ts';

const OK = { status: 200, headers: [{ name: 'a', value: 'b' }] };

const collect = (write: (sink: CollectSink) => void, limit = 10) => {
  const ends: (Collected | undefined)[] = [];
  const sink = new CollectSink(limit, (collected) => ends.push(collected));
  sink.start(OK);
  write(sink);
  return ends;
};

describe('CollectSink', () => {
  it('joins chunks that end within a character', () => {
    const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
    const ends = collect((sink) => {
      sink.chunk(first);
      sink.chunk(second);
      sink.end();
    });
    assert.deepEqual(ends, [{ status: 200, headers: ['a', 'b'], text: 'ä' }]);
  });

  it('replaces an incomplete response by an error', () => {
    const ends = collect((sink) => {
      sink.chunk(Buffer.from('incomplete'));
      sink.fail(PROXY_ERRORS.busy);
    });
    assert.deepEqual(ends, [{ status: 503, headers: ['retry-after', '1'], text: errorBody(PROXY_ERRORS.busy) }]);
  });

  it('gives up a body that is too long, at once', () => {
    for (const [length, text] of [
      [10, 'x'.repeat(10)],
      [11, undefined],
      [20, undefined],
    ] as const) {
      const [end, ...more] = collect((sink) => {
        for (let sent = 0; sent < length; sent++) sink.chunk(Buffer.from('x'));
        sink.end();
        if (text === undefined) sink.fail(PROXY_ERRORS.timeout);
      });
      assert.deepEqual([end?.text, more], [text, []]);
    }
  });
});

describe('keptHeaders()', () => {
  it('keeps what clients need, and nothing else', () => {
    const raw = ['Retry-After', '1', 'set-cookie', 'a=b', 'X-Request-Id', 'id', 'content-type', 'text/html'];
    assert.deepEqual(keptHeaders(raw), ['retry-after', '1', 'x-request-id', 'id']);
    assert.deepEqual(keptHeaders(['retry-after', '1', 'retry-after', '2']), []);
  });
});
