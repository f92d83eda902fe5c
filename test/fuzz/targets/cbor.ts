// CBOR: each value has one encoding, and everything else is refused with an Error that says why.
import assert from 'node:assert/strict';
import { encode } from 'cborg';
import { decodeCbor } from '../../../src/attestation/cbor.ts';
import { REAL_DOCUMENT } from '../../support/realDocument.ts';
import type { FuzzTarget } from '../target.ts';

export const target: FuzzTarget = {
  seeds: () => [
    REAL_DOCUMENT,
    encode([-1, 2 ** 53, 2n ** 64n - 1n, 'ä', new Uint8Array(3), true, null]),
    encode(
      new Map<unknown, unknown>([
        [1, 'a'],
        ['b', [new Map()]],
      ]),
    ),
    Buffer.from('bf616101ff', 'hex'),
    Buffer.from('9f0102ff', 'hex'),
    Buffer.from('f93c00', 'hex'),
  ],
  run: (input) => {
    const [definite, any] = [false, true].map((indefiniteLengths) => {
      try {
        return { value: decodeCbor(input, { indefiniteLengths }) };
      } catch (error) {
        assert.equal(Object.getPrototypeOf(error), Error.prototype, String(error));
        return undefined;
      }
    });
    if (any === undefined) assert.equal(definite, undefined);
    if (any === undefined || hasFloat(any.value)) return;
    const again = encode(any.value, { mapSorter: () => 0 });
    assert.deepEqual(decodeCbor(again, { indefiniteLengths: false }), any.value);
    if (definite === undefined) return;
    assert.deepEqual(definite.value, any.value);
    assert.deepEqual(Buffer.from(again), input);
  },
};

/** Floats are all NaN, so their bytes are lost. */
function hasFloat(value: unknown): boolean {
  if (value instanceof Map) return [...value.values()].some(hasFloat);
  return Array.isArray(value) ? value.some(hasFloat) : Number.isNaN(value);
}
