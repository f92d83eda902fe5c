import assert from 'node:assert/strict';
import { MAX_CHUNK } from '../../../src/session/wire.ts';
import { bytewise, makeResponse, splits } from '../../support/responses.ts';

const misplaced = { name: 'SessionError', code: 'record_order' };

describe('A response body, cut into records', () => {
  const FRAMES = ['start 200', 'chunk one', 'chunk ', 'chunk two', 'end'] as const;
  const HEARD = ['start 200', 'chunk one', 'chunk ', 'chunk two', 'finished'];

  it('is heard when it comes in one piece', () => {
    const { stream, heard, frames } = makeResponse(FRAMES);
    stream.push(Buffer.concat(frames));
    stream.finish();
    assert.deepEqual([...heard, 'finished'], HEARD);
  });

  it('is heard when each frame comes alone', () => {
    const { stream, heard, frames } = makeResponse(FRAMES);
    for (const frame of frames) stream.push(frame);
    stream.finish();
    assert.deepEqual([...heard, 'finished'], HEARD);
  });

  it('is heard when it is split in two at any border', () => {
    const whole = Buffer.concat(makeResponse(FRAMES).frames);
    for (let at = 0; at <= whole.length; at++) {
      const { stream, heard, frames } = makeResponse(FRAMES);
      for (const piece of splits(Buffer.concat(frames), [at])) stream.push(piece);
      stream.finish();
      assert.deepEqual([...heard, 'finished'], HEARD, `split at ${at}`);
    }
  });

  it('is heard when it comes byte by byte, with empty pieces between', () => {
    const { stream, heard, frames } = makeResponse(FRAMES);
    for (const byte of bytewise(Buffer.concat(frames))) {
      stream.push(byte);
      stream.push(new Uint8Array(0));
    }
    stream.finish();
    assert.deepEqual([...heard, 'finished'], HEARD);
  });

  it('holds no record back: each is heard with its last byte, and not before', () => {
    const { stream, heard, frames } = makeResponse(FRAMES);
    for (const [index, frame] of frames.slice(0, -1).entries()) {
      stream.push(frame.subarray(0, -1));
      assert.equal(heard.length, index);
      stream.push(frame.subarray(-1));
      assert.deepEqual(heard, HEARD.slice(0, index + 1));
    }
  });

  it('is heard when a thousand records come at once', () => {
    const chunks = Array.from({ length: 1000 }, (_, at) => `chunk ${at}`);
    const { stream, heard, frames } = makeResponse(['start 200', ...chunks, 'end']);
    stream.push(Buffer.concat(frames));
    stream.finish();
    assert.deepEqual(heard, ['start 200', ...chunks]);
  });

  it('may have full chunks, whole in one piece and collected from two', () => {
    const full = 'x'.repeat(MAX_CHUNK);
    const { stream, heard, frames } = makeResponse(['start 200', `chunk ${full}`, `chunk ${full}`, 'end']);
    const [start, first, second, end] = frames;
    assert.equal(first?.length, 4 + 65_553);
    assert.ok(start && second && end);
    for (const piece of [start, first, second.subarray(0, 40_000), second.subarray(40_000), end]) stream.push(piece);
    stream.finish();
    assert.ok(heard[1] === `chunk ${full}` && heard[2] === `chunk ${full}`);
  });

  it('passes on memory that the pieces do not share', () => {
    const { stream, chunks, frames } = makeResponse(['start 200', 'chunk one', 'chunk two']);
    const pieces = splits(Buffer.concat(frames), [Buffer.concat(frames).length - 3]).map((piece) => Buffer.from(piece));
    for (const piece of pieces) stream.push(piece);
    for (const piece of pieces) piece.fill(0);
    assert.deepEqual(
      chunks.map((chunk) => Buffer.from(chunk).toString()),
      ['one', 'two'],
    );
  });
});

describe('The order of records', () => {
  for (const frames of [
    ['end'],
    ['chunk a'],
    ['start 200', 'start 200'],
    ['start 200', 'chunk a', 'start 200'],
    ['error broken'],
  ]) {
    it(`is wrong at the last of: ${frames.join(', ')}`, () => {
      const response = makeResponse(frames);
      const last = response.frames.pop() ?? assert.fail();
      for (const frame of response.frames) response.stream.push(frame);
      const before = [...response.heard];
      assert.throws(() => {
        response.stream.push(last);
      }, misplaced);
      assert.deepEqual(response.heard, before);
    });
  }

  for (const behind of ['start 200', 'chunk a', 'end', 'error broken']) {
    it(`is wrong when there is a record behind the End: ${behind}`, () => {
      for (const together of [true, false]) {
        const { stream, heard, frames } = makeResponse(['start 200', 'end', behind]);
        assert.throws(() => {
          for (const piece of together ? [Buffer.concat(frames)] : frames) stream.push(piece);
        }, misplaced);
        assert.deepEqual(heard, ['start 200']);
      }
    });
  }

  it('is wrong when there is one byte behind the End', () => {
    for (const byte of [0, 1, 0xff]) {
      const { stream, frames } = makeResponse(['start 200', 'end']);
      for (const frame of frames) stream.push(frame);
      assert.throws(() => {
        stream.push(Uint8Array.of(byte));
      }, misplaced);
    }
  });

  it('is right with no chunk at all', () => {
    const { stream, heard, frames } = makeResponse(['start 204', 'end']);
    for (const frame of frames) stream.push(frame);
    stream.finish();
    assert.deepEqual(heard, ['start 204']);
  });
});
