import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ReplayableBody } from '../../../src/session/replayableBody.ts';
import type { BodyReader } from '../../../src/session/replayableBody.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

const bytes = (text: string) => Buffer.from(text);

/** Consecutive numbers from `from`, so that no two neighbouring bytes are equal. */
function numbered(length: number, from = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (from + at) % 251);
}

async function drawAll(reader: BodyReader): Promise<Uint8Array> {
  const drawn: Uint8Array[] = [];
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) drawn.push(chunk);
  return concatBytes(...drawn);
}

function next(reader: BodyReader): Promise<string | undefined> {
  return withTimeout('the next chunk', DEADLINE, reader.next()).then((chunk) => chunk && Buffer.from(chunk).toString());
}

describe('ReplayableBody', () => {
  it('knows its length and whether it is complete', () => {
    const body = new ReplayableBody();
    assert.deepEqual([body.length, body.complete], [0, false]);
    body.push(bytes('abc'));
    body.push(bytes('de'));
    assert.deepEqual([body.length, body.complete], [5, false]);
    body.finish();
    assert.deepEqual([body.length, body.complete], [5, true]);
  });

  it('returns its chunks, the first without copying it', () => {
    const body = new ReplayableBody();
    const chunk = bytes('abc');
    body.push(chunk);
    assert.equal(body.chunks()[0]?.buffer, chunk.buffer);
    body.push(bytes('de'));
    assert.equal(Buffer.concat(body.chunks()).toString(), 'abcde');
  });

  it('keeps large chunks without copying them, and thousands of small ones in a few blocks', () => {
    const body = new ReplayableBody();
    const large = numbered(4096);
    body.push(large);
    assert.equal(body.chunks()[0]?.buffer, large.buffer);
    const small = numbered(100);
    body.push(small);
    const tiny = numbered(200_000);
    for (let at = 0; at < tiny.length; at++) body.push(tiny.subarray(at, at + 1));
    assert.ok(body.chunks().length < 12, `${body.chunks().length} chunks`);
    assert.ok(Buffer.concat(body.chunks()).equals(concatBytes(large, small, tiny)));
  });

  it('takes up little more memory than its content, in any order of small and large chunks', () => {
    const body = new ReplayableBody();
    for (let round = 0; round < 200; round++) for (const length of [4096, 1, 1]) body.push(numbered(length));
    const buffers = new Set(body.chunks().map(({ buffer }) => buffer));
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    assert.ok(held < 2.1 * body.length, `${held} bytes for ${body.length}`);
  });

  it('can be read while it arrives; a reader waits for the next chunk and for the end', async () => {
    const body = new ReplayableBody();
    const reader = body.read();
    for (const text of ['a', 'b', 'c']) {
      const waiting = next(reader);
      await flushEventLoop();
      body.push(bytes(text));
      assert.equal(await waiting, text);
    }
    const waiting = next(reader);
    await flushEventLoop();
    body.finish();
    assert.equal(await waiting, undefined);
    assert.equal(await next(reader), undefined);
  });

  it('combines chunks that arrive while the reader waits', async () => {
    const body = new ReplayableBody();
    const reader = body.read();
    const all = numbered(300_000);
    const drawn: Uint8Array[] = [];
    const reading = (async () => {
      for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) drawn.push(chunk);
    })();
    for (let at = 0; at < all.length; at++) {
      body.push(all.subarray(at, at + 1));
      if (at % 10 === 0) await Promise.resolve(); // one of many reads of the same turn
      if (at % 30_000 === 0) await flushEventLoop();
    }
    body.finish();
    await withTimeout('the complete body', DEADLINE, reading);
    assert.ok(drawn.length < 100, `${drawn.length} chunks`);
    assert.ok(Buffer.concat(drawn).equals(all));
  });

  it('ends at once if it is empty and complete', async () => {
    const body = new ReplayableBody();
    body.finish();
    assert.equal(await next(body.read()), undefined);
    assert.deepEqual(body.chunks(), []);
  });

  it('can be read again from the first byte, even while it still arrives', async () => {
    const body = new ReplayableBody();
    for (const text of ['one ', 'two ', 'three ']) body.push(bytes(text));
    const first = body.read();
    assert.equal(await next(first), 'one ');
    assert.equal(await next(first), 'two three ');
    first.close();
    const second = body.read();
    assert.equal(await next(second), 'one ');
    body.push(bytes('four'));
    body.finish();
    assert.equal(Buffer.from(await withTimeout('the rest', DEADLINE, drawAll(second))).toString(), 'two three four');
  });

  it('rejects reads of a closed reader, also pending ones', async () => {
    const body = new ReplayableBody();
    body.push(bytes('a'));
    const early = body.read();
    early.close();
    await assert.rejects(next(early), { message: 'The request was cancelled' });
    const waiting = body.read();
    await next(waiting);
    const rejected = assert.rejects(next(waiting), { message: 'The request was cancelled' });
    await flushEventLoop();
    waiting.close();
    await rejected;
    body.finish();
    await assert.rejects(next(waiting), { message: 'The request was cancelled' });
  });

  it('drops chunks that were read before release(), and later ones as they are read', async () => {
    const body = new ReplayableBody();
    const large = () => numbered(5000);
    for (let count = 0; count < 4; count++) body.push(large());
    const reader = body.read();
    for (let count = 0; count < 2; count++) await reader.next();
    assert.equal(body.chunks().length, 4);
    body.release();
    const kept = body.chunks().length;
    assert.ok(kept < 4);
    await reader.next();
    assert.equal(body.chunks().length, kept - 1);
    body.push(large());
    body.finish();
    assert.equal((await withTimeout('the rest', DEADLINE, drawAll(reader))).length, 10_000);
    assert.ok(body.chunks().length <= 1);
    assert.equal(body.length, 25_000);
  });

  it('drops everything in discard()', () => {
    const body = new ReplayableBody();
    body.push(bytes('a'));
    body.discard();
    assert.deepEqual(body.chunks(), []);
  });

  it('returns exactly its bytes, for any sizes of chunks and times of reads', async () => {
    const size = fc.oneof(fc.nat({ max: 20 }), fc.constantFrom(4095, 4096, 4097, 65_535, 65_536, 65_537, 100_000));
    const step = fc.oneof(
      size.map((length) => ({ push: length })),
      fc.constant('draw' as const),
      fc.constant('start again' as const),
      fc.constant('release' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const body = new ReplayableBody();
        let reader = body.read();
        let [pushed, drawn, released] = [0, 0, false];
        const draw = async () => {
          const chunk = (await withTimeout('a chunk', DEADLINE, reader.next())) ?? new Uint8Array(0);
          assert.ok(Buffer.from(chunk).equals(numbered(chunk.length, drawn)), `after ${drawn} bytes`);
          drawn += chunk.length;
        };
        for (const action of steps) {
          if (action === 'draw') {
            if (drawn < pushed) await draw();
          } else if (action === 'release') {
            released = true;
            body.release();
          } else if (action === 'start again') {
            if (released) continue;
            reader.close();
            reader = body.read();
            drawn = 0;
          } else {
            body.push(numbered(action.push, pushed));
            pushed += action.push;
            if (!released) assert.ok(Buffer.concat(body.chunks()).equals(numbered(pushed)));
          }
        }
        body.finish();
        assert.equal(body.length, pushed);
        while (drawn < pushed) await draw();
        assert.equal(await withTimeout('the end', DEADLINE, reader.next()), undefined);
      }),
      { numRuns: 150 },
    );
  });
});
