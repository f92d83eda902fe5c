import assert from 'node:assert/strict';
import { MAX_CHUNK } from '../../../src/session/wire.ts';
import { bytewise, makeResponse, splits } from '../../support/responses.ts';

const misplaced = { name: 'SessionError', code: 'record_order' };

describe('RecordStream', () => {
  const FRAMES = ['start 200', 'chunk one', 'chunk ', 'chunk two', 'end'] as const;
  const HEARD = ['start 200', 'chunk one', 'chunk ', 'chunk two', 'finished'];

  it('reads a body in one chunk', () => {
    const { stream, received, frames } = makeResponse(FRAMES);
    stream.push(Buffer.concat(frames));
    stream.finish();
    assert.deepEqual([...received, 'finished'], HEARD);
  });

  it('reads a body with each frame in a chunk of its own', () => {
    const { stream, received, frames } = makeResponse(FRAMES);
    for (const frame of frames) stream.push(frame);
    stream.finish();
    assert.deepEqual([...received, 'finished'], HEARD);
  });

  it('reads a body that is split in two at any position', () => {
    const body = Buffer.concat(makeResponse(FRAMES).frames);
    for (let at = 0; at <= body.length; at++) {
      const { stream, received, frames } = makeResponse(FRAMES);
      for (const part of splits(Buffer.concat(frames), [at])) stream.push(part);
      stream.finish();
      assert.deepEqual([...received, 'finished'], HEARD, `split at ${at}`);
    }
  });

  it('reads a body byte by byte, with empty chunks between', () => {
    const { stream, received, frames } = makeResponse(FRAMES);
    for (const byte of bytewise(Buffer.concat(frames))) {
      stream.push(byte);
      stream.push(new Uint8Array(0));
    }
    stream.finish();
    assert.deepEqual([...received, 'finished'], HEARD);
  });

  it('passes on each record with its last byte and not before', () => {
    const { stream, received, frames } = makeResponse(FRAMES);
    for (const [index, frame] of frames.slice(0, -1).entries()) {
      stream.push(frame.subarray(0, -1));
      assert.equal(received.length, index);
      stream.push(frame.subarray(-1));
      assert.deepEqual(received, HEARD.slice(0, index + 1));
    }
  });

  it('reads a thousand records in one chunk', () => {
    const chunks = Array.from({ length: 1000 }, (_, at) => `chunk ${at}`);
    const { stream, received, frames } = makeResponse(['start 200', ...chunks, 'end']);
    stream.push(Buffer.concat(frames));
    stream.finish();
    assert.deepEqual(received, ['start 200', ...chunks]);
  });

  it('reads records of the maximum length, in one chunk and from two', () => {
    const full = 'x'.repeat(MAX_CHUNK);
    const { stream, received, frames } = makeResponse(['start 200', `chunk ${full}`, `chunk ${full}`, 'end']);
    const [start, first, second, end] = frames;
    assert.equal(first?.length, 4 + 65_553);
    assert.ok(start && second && end);
    for (const part of [start, first, second.subarray(0, 40_000), second.subarray(40_000), end]) stream.push(part);
    stream.finish();
    assert.ok(received[1] === `chunk ${full}` && received[2] === `chunk ${full}`);
  });

  it('passes on memory that is not shared with the input', () => {
    const { stream, chunks, frames } = makeResponse(['start 200', 'chunk one', 'chunk two']);
    const parts = splits(Buffer.concat(frames), [Buffer.concat(frames).length - 3]).map((part) => Buffer.from(part));
    for (const part of parts) stream.push(part);
    for (const part of parts) part.fill(0);
    assert.deepEqual(
      chunks.map((chunk) => Buffer.from(chunk).toString()),
      ['one', 'two'],
    );
  });
});

describe('RecordStream and the order of records', () => {
  for (const frames of [
    ['end'],
    ['chunk a'],
    ['start 200', 'start 200'],
    ['start 200', 'chunk a', 'start 200'],
    ['error broken'],
  ]) {
    it(`rejects the last of: ${frames.join(', ')}`, () => {
      const response = makeResponse(frames);
      const last = response.frames.pop() ?? assert.fail();
      for (const frame of response.frames) response.stream.push(frame);
      const before = [...response.received];
      assert.throws(() => {
        response.stream.push(last);
      }, misplaced);
      assert.deepEqual(response.received, before);
    });
  }

  for (const behind of ['start 200', 'chunk a', 'end', 'error broken']) {
    it(`rejects a record after the End: ${behind}`, () => {
      for (const together of [true, false]) {
        const { stream, received, frames } = makeResponse(['start 200', 'end', behind]);
        assert.throws(() => {
          for (const part of together ? [Buffer.concat(frames)] : frames) stream.push(part);
        }, misplaced);
        assert.deepEqual(received, ['start 200']);
      }
    });
  }

  it('rejects a single byte after the End', () => {
    for (const byte of [0, 1, 0xff]) {
      const { stream, frames } = makeResponse(['start 200', 'end']);
      for (const frame of frames) stream.push(frame);
      assert.throws(() => {
        stream.push(Uint8Array.of(byte));
      }, misplaced);
    }
  });

  it('accepts a response without chunks', () => {
    const { stream, received, frames } = makeResponse(['start 204', 'end']);
    for (const frame of frames) stream.push(frame);
    stream.finish();
    assert.deepEqual(received, ['start 204']);
  });
});
