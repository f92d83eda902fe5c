import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestLimits } from '../../../../src/proxy/relay/requestLimits.ts';
import type { CallerPath, Place } from '../../../../src/proxy/relay/requestLimits.ts';

const MIB = 1024 * 1024;
const ALL = 256;

/** Takes places until there is none, and returns them. */
function takeAll(limits: RequestLimits, caller: CallerPath): Place[] {
  const places: Place[] = [];
  for (let place = limits.admit(caller); place !== undefined; place = limits.admit(caller)) places.push(place);
  return places;
}

/** Keeps bytes, one MiB at a time, until there is no room. Returns how many MiB. */
function keepAll(limits: RequestLimits, caller: CallerPath): number {
  const place = limits.admit(caller) ?? assert.fail('There is no place');
  for (let kept = 0; ; kept++) if (!place.keep(MIB)) return kept;
}

describe('RequestLimits', () => {
  it('gives one caller half of all places, and the next one half of what is left', () => {
    const limits = new RequestLimits(500 * MIB);
    const counts = ['a', 'b', 'c', 'd'].map((caller) => takeAll(limits, [caller]).length);
    assert.deepEqual(counts, [128, 64, 32, 16]);
  });

  it('gives one caller half of all bytes, and the next one half of what is left', () => {
    const limits = new RequestLimits(500 * MIB);
    const counts = ['a', 'b', 'c', 'd'].map((caller) => keepAll(limits, [caller]));
    assert.deepEqual(counts, [250, 125, 63, 31]);
  });

  it('counts a group as one caller, and shares its part among its members by the same rule', () => {
    const limits = new RequestLimits(500 * MIB);
    assert.equal(takeAll(limits, ['direct', 'unknown']).length, 86);
    assert.equal(takeAll(limits, ['direct', 'known']).length, 28);
    assert.equal(takeAll(limits, ['direct', 'other']).length, 10);
    assert.equal(takeAll(limits, ['a']).length, 66);
  });

  it('keeps room for 30 requests with 5 MiB each of an access key, besides others that take all they can', () => {
    const limits = new RequestLimits(500 * MIB);
    for (const place of takeAll(limits, ['direct', 'unknown'])) while (place.keep(MIB));
    for (let count = 0; count < 30; count++) {
      const place = limits.admit(['a']) ?? assert.fail(`no place for request ${count}`);
      assert.ok(place.keep(5 * MIB), `no room for the body of request ${count}`);
    }
  });

  it('keeps room for a body of the largest size, besides two callers that take all they can', () => {
    const limits = new RequestLimits(500 * MIB);
    for (const caller of ['a', 'b']) keepAll(limits, [caller]);
    assert.ok((limits.admit(['c']) ?? assert.fail()).keep(50 * MIB));
  });

  it('serves every new caller, whatever one caller and everyone without an access key do, and in which order', () => {
    const actions = fc.array(fc.tuple(fc.boolean(), fc.nat(99), fc.nat(60 * MIB), fc.nat(9)), {
      maxLength: 600,
      size: 'max', // by default, most would be too short to fill anything
    });
    fc.assert(
      fc.property(actions, (all) => {
        const limits = new RequestLimits(500 * MIB);
        const places: Place[] = [];
        for (const [isKey, member, bytes, ended] of all) {
          const place = limits.admit(isKey ? ['key'] : ['direct', String(member)]);
          if (place !== undefined) places.push(place);
          places.at(member)?.keep(bytes);
          if (ended === 0) places.shift()?.end();
          const other = limits.admit(['other']) ?? assert.fail('no place');
          assert.ok(other.keep(50 * MIB));
          other.end();
        }
        for (const place of places) place.end();
        assert.deepEqual(limits.held, { requests: 0, bytes: 0 });
      }),
      { numRuns: 30 },
    );
  });

  it('never holds more than 256 requests and 500 MiB, also with many callers', () => {
    const limits = new RequestLimits(500 * MIB);
    for (let caller = 0; caller < 20; caller++) {
      for (const place of takeAll(limits, [`key ${caller}`])) while (place.keep(MIB));
    }
    const { requests, bytes } = limits.held;
    assert.ok(requests <= ALL && bytes <= 500 * MIB, `${requests} requests, ${bytes} bytes`);
    assert.ok(requests > ALL - 2 && bytes > 499 * MIB, `${requests} requests, ${bytes} bytes`);
  });

  it('gives back what a request held, once it ends', () => {
    const limits = new RequestLimits(500 * MIB);
    let ended = 0;
    const place = limits.admit(['a'], () => ended++) ?? assert.fail();
    assert.equal(place.keep(250 * MIB), true);
    assert.equal(place.keep(1), false);
    assert.deepEqual(limits.held, { requests: 1, bytes: 250 * MIB });
    place.releaseBody();
    assert.deepEqual(limits.held, { requests: 1, bytes: 0 });
    assert.equal(place.keep(7), true);
    assert.equal(ended, 0);
    place.end();
    assert.deepEqual([limits.held, ended], [{ requests: 0, bytes: 0 }, 1]);
  });
});
