import assert from 'node:assert/strict';
import { makeResponse } from '../../support/responses.ts';
import type { FakeResponse } from '../../support/responses.ts';

const malformed = { name: 'SessionError', code: 'record_malformed' };
const misplaced = { name: 'SessionError', code: 'record_order' };

describe('RecordStream with an invalid body', () => {
  it('reports truncation at any position before the end of the End', () => {
    const body = Buffer.concat(makeResponse(['start 200', 'chunk one', 'end']).frames);
    for (let length = 0; length < body.length; length++) {
      const { stream, frames } = makeResponse(['start 200', 'chunk one', 'end']);
      stream.push(Buffer.concat(frames).subarray(0, length));
      assert.throws(
        () => {
          stream.finish();
        },
        { name: 'SessionError', code: 'truncated' },
        `after ${length} bytes`,
      );
    }
  });

  it('passes on all records before the first invalid one', () => {
    const { stream, received, frames } = makeResponse(['start 200', 'chunk one', 'chunk two', 'end']);
    const body = Buffer.concat(frames);
    const inSecondChunk = Buffer.concat(frames.slice(0, 2)).length + 8;
    body[inSecondChunk] = (body[inSecondChunk] ?? 0) ^ 1;
    assert.throws(
      () => {
        stream.push(body);
      },
      { name: 'SessionError', code: 'record_authentication' },
    );
    assert.deepEqual(received, ['start 200', 'chunk one']);
  });

  it('fails on an Error after a Start, with its code', () => {
    const { stream, received, frames } = makeResponse(['start 200', 'chunk one', 'error upstream_timeout']);
    assert.throws(
      () => {
        stream.push(Buffer.concat(frames));
      },
      { name: 'SessionError', code: 'enclave_error', message: /upstream_timeout/ },
    );
    assert.deepEqual(received, ['start 200', 'chunk one']);
  });

  for (const [what, from, to] of [
    ['swapped', [0, 1, 2, 3], [0, 2, 1, 3]],
    ['repeated', [0, 1, 2, 3], [0, 1, 1, 2, 3]],
    ['dropped', [0, 1, 2, 3], [0, 2, 3]],
    ['dropped before the End', [0, 1, 2, 3], [0, 1, 3]],
    ['dropped at the start', [0, 1, 2, 3], [1, 2, 3]],
  ] as const) {
    it(`rejects records that were ${what}`, () => {
      const { stream, received, frames } = makeResponse(['start 200', 'chunk one', 'chunk two', 'end']);
      const sent = to.map((index) => frames[index] ?? assert.fail());
      const firstWrong = to.findIndex((index, at) => index !== from[at]);
      assert.throws(
        () => {
          for (const frame of sent) stream.push(frame);
        },
        { code: 'record_authentication' },
      );
      assert.equal(received.length, firstWrong);
    });
  }

  it('rejects an End with content and malformed records', () => {
    for (const plaintext of [Buffer.of(3, 3), Buffer.of(9), Buffer.of(1), Buffer.of(4)]) {
      const { stream, response, frames } = makeResponse(['start 200']);
      stream.push(frames[0] ?? assert.fail());
      assert.throws(() => {
        stream.push(response.frameOf(plaintext));
      }, malformed);
    }
  });

  for (const [what, breakIt] of [
    [
      'an Error',
      ({ response, stream }) => {
        stream.push(response.error('broken'));
      },
    ],
    [
      'a second Start',
      ({ response, stream }) => {
        stream.push(response.start());
      },
    ],
    [
      'a record of unknown type',
      ({ response, stream }) => {
        stream.push(response.frame(9, ''));
      },
    ],
    [
      'a record that is too short',
      ({ stream }) => {
        stream.push(Uint8Array.of(0, 0, 0, 16));
      },
    ],
    [
      'a record that is too long',
      ({ stream }) => {
        stream.push(Uint8Array.of(0, 1, 0, 18));
      },
    ],
    [
      'a record behind the End',
      ({ response, stream }) => {
        stream.push(Buffer.concat([response.end(), response.chunk('behind')]));
      },
    ],
  ] satisfies readonly (readonly [string, (response: FakeResponse) => void])[]) {
    it(`passes on nothing after ${what}, and does not recover`, () => {
      const broken = makeResponse(['start 200', 'chunk one']);
      const { stream, received, frames, response } = broken;
      stream.push(Buffer.concat(frames));
      assert.throws(() => {
        breakIt(broken);
      });
      for (const next of [response.chunk('two'), response.end()]) {
        assert.throws(() => {
          stream.push(next);
        }, misplaced);
      }
      assert.throws(
        () => {
          stream.finish();
        },
        { code: 'truncated' },
      );
      assert.deepEqual(received, ['start 200', 'chunk one']);
    });
  }
});

describe('RecordStream after close()', () => {
  it('passes on nothing more, not even an end', () => {
    const { stream, received, frames } = makeResponse(['start 200', 'chunk one', 'end']);
    const [start = assert.fail(), chunk = assert.fail(), end = assert.fail()] = frames;
    stream.push(start);
    stream.close();
    for (const frame of [chunk, end]) {
      assert.throws(() => {
        stream.push(frame);
      }, misplaced);
    }
    assert.throws(
      () => {
        stream.finish();
      },
      { code: 'truncated' },
    );
    assert.deepEqual(received, ['start 200']);
  });

  for (const place of ['start 200', 'chunk one']) {
    it(`passes on nothing more if the sink closes it at "${place}", not even records sealed with an all-zero key`, () => {
      for (const key of [undefined, Buffer.alloc(32)]) {
        const response = makeResponse(['start 200', 'chunk one', 'chunk two', 'end']);
        const { stream, received, frames, enclave, requestId } = response;
        response.during = (words) => {
          if (words === place) stream.close();
        };
        const closedAt = place === 'start 200' ? 1 : 2;
        const behind = [2, 2, 3].map((tag, at) =>
          enclave.respond(requestId, key).frameOf(Buffer.of(tag), closedAt + at),
        );
        assert.throws(() => {
          stream.push(Buffer.concat([...frames.slice(0, closedAt), ...behind]));
        }, misplaced);
        assert.equal(received.length, closedAt);
      }
    });
  }
});
