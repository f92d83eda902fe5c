import assert from 'node:assert/strict';
import fc from 'fast-check';
import { makeResponse, splits } from '../../support/responses.ts';
import type { FakeResponse } from '../../support/responses.ts';

function lengthField(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

describe('RecordStream and the length of a frame', () => {
  for (const length of [0, 1, 15, 16, 65_554, 65_555, 2 ** 24, 2 ** 31, 2 ** 32 - 1]) {
    it(`rejects the length ${length} as soon as it is complete, before it allocates memory`, () => {
      for (const parts of [[lengthField(length)], splits(lengthField(length), [1, 2, 3])]) {
        const { stream } = makeResponse([]);
        for (const part of parts.slice(0, -1)) stream.push(part);
        assert.throws(
          () => {
            stream.push(parts.at(-1) ?? assert.fail());
          },
          { name: 'SessionError', code: 'record_length', message: new RegExp(` ${length} bytes`) },
        );
      }
    });
  }

  for (const length of [17, 18, 65_553]) {
    it(`accepts the length ${length} and authenticates the frame`, () => {
      const { stream } = makeResponse([]);
      stream.push(lengthField(length));
      stream.push(new Uint8Array(length - 1));
      assert.throws(
        () => {
          stream.push(new Uint8Array(1));
        },
        { code: 'record_authentication' },
      );
    });
  }

  it('fails authentication if the length includes the next frame', () => {
    const { stream, received, frames } = makeResponse(['start 200', 'chunk one', 'end']);
    const body = Buffer.concat(frames);
    const at = frames[0]?.length ?? assert.fail();
    body.writeUInt32BE(body.readUInt32BE(at) + 1, at);
    assert.throws(
      () => {
        stream.push(body);
      },
      { code: 'record_authentication' },
    );
    assert.deepEqual(received, ['start 200']);
  });
});

describe('RecordStream with any response', () => {
  const chunkText = fc.string({ maxLength: 40 }).map((text) => `chunk ${text}`);
  const words = fc.array(chunkText, { maxLength: 8 }).map((chunks) => ['start 200', ...chunks, 'end']);
  const places = fc.array(fc.nat(), { maxLength: 12 });

  /** Pushes the body, split at `cuts`, and returns how that ended. */
  function read({ stream }: FakeResponse, body: Buffer, cuts: readonly number[]): string {
    try {
      const borders = cuts.map((cut) => cut % (body.length + 1));
      for (const part of splits(body, borders)) stream.push(part);
      stream.finish();
      return 'complete';
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  it('reads it completely, however it is split', () => {
    fc.assert(
      fc.property(words, places, (said, cuts) => {
        const response = makeResponse(said);
        assert.equal(read(response, Buffer.concat(response.frames), cuts), 'complete');
        assert.deepEqual(response.received, said.slice(0, -1));
      }),
    );
  });

  it('never ends after a changed bit, and passes on only records before it', () => {
    fc.assert(
      fc.property(words, places, fc.nat(), fc.nat({ max: 7 }), (said, cuts, at, bit) => {
        const response = makeResponse(said);
        const body = Buffer.concat(response.frames);
        const place = at % body.length;
        body[place] = (body[place] ?? 0) ^ (1 << bit);
        assert.notEqual(read(response, body, cuts), 'complete');
        let offset = 0;
        const untouched = response.frames.findIndex((frame) => (offset += frame.length) > place);
        assert.deepEqual(response.received, said.slice(0, untouched));
      }),
    );
  });

  it('reports truncation at any position and passes on all complete records', () => {
    fc.assert(
      fc.property(words, places, fc.nat(), (said, cuts, at) => {
        const response = makeResponse(said);
        const body = Buffer.concat(response.frames);
        const length = at % body.length;
        assert.equal(read(response, body.subarray(0, length), cuts), 'truncated');
        let offset = 0;
        const complete = response.frames.filter((frame) => (offset += frame.length) <= length);
        assert.deepEqual(response.received, said.slice(0, complete.length));
      }),
    );
  });
});
