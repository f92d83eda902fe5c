import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nativeAead } from '../../../src/session/aead.ts';
import type { Aead } from '../../../src/session/aead.ts';
import { aeadBySize } from '../../../src/session/bestAead.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';

const wasmAead = new WasmAead();

const BORDER = 2048;
const bySize = aeadBySize(nativeAead, wasmAead, BORDER);
const PAIRS: readonly (readonly [Aead, Aead])[] = [
  [nativeAead, wasmAead],
  [wasmAead, nativeAead],
  [bySize, wasmAead],
  [nativeAead, bySize],
];

/** Sizes around the limits of MAC blocks, key stream blocks, the scratch memory, aeadBySize() and chunks. */
const BORDERS = [0, 16, 32, 48, 64, 128, 256, BORDER - 16, BORDER, 4096 - 112, 4096 - 16, 4096, 65_536, 65_537];
const sizes = fc.oneof(
  fc.tuple(fc.constantFrom(...BORDERS), fc.integer({ min: -2, max: 2 })).map(([at, by]) => Math.max(0, at + by)),
  fc.nat({ max: 5000 }),
);
const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 });
const aad = fc.uint8Array({ maxLength: 100 });
const prefix = fc.uint8Array({ maxLength: 32 });

/** Varying bytes; fast-check would take long to generate so many. */
function message(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8) + seed) & 0xff;
  return bytes;
}

/** Splits `bytes` at `cuts`, which are fractions of the length. */
function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((fraction) => Math.floor(fraction * bytes.length)).toSorted((a, b) => a - b)];
  return places.map((from, index) => bytes.subarray(from, places[index + 1] ?? bytes.length));
}

const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });

describe('nativeAead and wasmAead', () => {
  it("produce the same bytes and open each other's messages, in one part, in several and streamed", () => {
    fc.assert(
      fc.property(key, nonce, aad, prefix, sizes, fc.nat(255), fractions, (k, n, a, p, size, seed, cuts) => {
        const text = message(size, seed);
        const parts = cut(text, cuts);
        for (const [one, other] of PAIRS) {
          const sealed = one.seal(k, n, a, p, parts);
          assert.equal(sealed.length, p.length + size + 16);
          assert.equal(toHex(sealed.subarray(0, p.length)), toHex(p));
          const record = sealed.subarray(p.length);
          const stream = other.sealStream(k, n, a);
          const streamed = concatBytes(...parts.map((part) => stream.update(part)), stream.final());
          assert.equal(toHex(streamed), toHex(record));
          assert.equal(toHex(other.open(k, n, a, record)), toHex(text));
          assert.equal(toHex(one.open(k, n, a, record)), toHex(text));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('both reject a message with any byte changed', () => {
    fc.assert(
      fc.property(key, nonce, aad, sizes, fc.nat(), fc.integer({ min: 1, max: 255 }), (k, n, a, size, at, change) => {
        const sealed = nativeAead.seal(k, n, a, new Uint8Array(0), [message(size, 0)]);
        const place = at % sealed.length;
        sealed[place] = (sealed[place] ?? 0) ^ change;
        for (const aead of [nativeAead, wasmAead, bySize]) {
          assert.throws(() => aead.open(k, n, a, sealed), { code: 'record_authentication' });
        }
      }),
      { numRuns: 150 },
    );
  });

  it('stream a long message in parts of any length as they seal it in one call', () => {
    const [k, n, a] = [message(32, 1), message(12, 2), message(91, 3)];
    const text = message(300_000, 4);
    for (const step of [1000, 4096, 65_535, 65_536, 100_003]) {
      const parts: Uint8Array[] = [];
      for (let at = 0; at < text.length; at += step) parts.push(text.subarray(at, at + step));
      const [expected, ...others] = [nativeAead, wasmAead].flatMap((aead) => {
        const stream = aead.sealStream(k, n, a);
        const streamed = concatBytes(...parts.map((part) => stream.update(part)), stream.final());
        return [toHex(streamed), toHex(aead.seal(k, n, a, new Uint8Array(0), parts))];
      });
      for (const other of others) assert.ok(other === expected, `parts of ${step} bytes`);
      const sealed = Buffer.from(expected ?? '', 'hex');
      for (const aead of [nativeAead, wasmAead]) assert.equal(Buffer.compare(aead.open(k, n, a, sealed), text), 0);
    }
  });
});
