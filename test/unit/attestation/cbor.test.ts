import assert from 'node:assert/strict';
import { encode } from 'cborg';
import fc from 'fast-check';
import { decodeCbor } from '../../../src/attestation/cbor.ts';

function decodeHex(hex: string, indefiniteLengths = true): unknown {
  return decodeCbor(Buffer.from(hex, 'hex'), { indefiniteLengths });
}

/** Nested arrays around an integer, one byte per level. */
function nested(levels: number): Uint8Array {
  return Uint8Array.from([...Array.from({ length: levels }, () => 0x81), 0x00]);
}

describe('decodeCbor()', () => {
  it('decodes every encoded value', () => {
    const text = fc.string({ unit: 'binary' });
    const scalar = fc.oneof(fc.maxSafeInteger(), text, fc.uint8Array(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 7 },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, fc.boolean(), (original, indefiniteLengths) => {
        assert.deepEqual(decodeCbor(encode(original), { indefiniteLengths }), original);
      }),
    );
  });

  it('copies byte strings, so that they do not change with the input', () => {
    for (const input of [Uint8Array.of(0x42, 1, 2), Buffer.from([0x42, 1, 2])]) {
      const decoded = decodeCbor(input, { indefiniteLengths: false });
      input.fill(0);
      assert.deepEqual(decoded, Uint8Array.of(1, 2));
    }
  });

  it('decodes a view of a larger buffer', () => {
    const larger = Uint8Array.of(0xff, 0x42, 1, 2, 0xff);
    assert.deepEqual(decodeCbor(larger.subarray(1, 4), { indefiniteLengths: false }), Uint8Array.of(1, 2));
  });

  it('keeps integers exact beyond 2^53', () => {
    assert.equal(decodeHex('1bffffffffffffffff'), 2n ** 64n - 1n);
  });

  it('accepts eight levels of nesting and no more', () => {
    assert.deepEqual(decodeCbor(nested(8), { indefiniteLengths: false }), [[[[[[[[0]]]]]]]]);
    assert.throws(() => decodeCbor(nested(9), { indefiniteLengths: false }), /levels/);
    assert.throws(() => decodeHex('9f'.repeat(9) + 'ff'.repeat(9)), /levels/);
    assert.throws(() => decodeHex('a100'.repeat(9) + '00'), /levels/);
  });

  it('limits the depth of nesting, not the number of arrays and maps', () => {
    assert.deepEqual(decodeHex('9f' + '80'.repeat(100) + 'ff'), Array(100).fill([]));
    assert.deepEqual(decodeHex('9f' + '9fff'.repeat(100) + 'ff'), Array(100).fill([]));
    assert.deepEqual(decodeHex('9f' + 'bf0000ff'.repeat(100) + 'ff'), Array(100).fill(new Map([[0, 0]])));
    assert.deepEqual(decodeHex('9f' + 'a10000'.repeat(100) + 'ff'), Array(100).fill(new Map([[0, 0]])));
  });

  it('does not exhaust the stack on 60,000 nested arrays', () => {
    assert.throws(() => decodeCbor(nested(60_000), { indefiniteLengths: true }), /levels/);
  });

  it('accepts arrays and maps of indefinite length only if asked to', () => {
    const documents = ['9fff', 'bfff', '9f0102ff', 'bf0102ff', '82009fff', 'bf009fffff', '9f83010203ff'];
    const values = [[], new Map(), [1, 2], new Map([[1, 2]]), [0, []], new Map([[0, []]]), [[1, 2, 3]]];
    assert.deepEqual(
      documents.map((hex) => decodeHex(hex)),
      values,
    );
    for (const hex of documents) assert.throws(() => decodeHex(hex, false), /indefinite/, hex);
  });

  it('rejects a break that ends nothing or replaces a value', () => {
    for (const hex of ['ff', '81ff', 'a1ff00', 'a100ff', '9f81ffff', 'bf00ff', 'bf000001a100ffff']) {
      assert.throws(() => decodeHex(hex), /break/, hex);
    }
  });

  it('reads floats as NaN, so that none passes for an integer', () => {
    for (const hex of ['f93c00', 'fa3f800000', 'fb3ff0000000000000', 'f97e00']) assert.equal(decodeHex(hex), NaN, hex);
  });

  it('rejects keys that are neither integers nor text', () => {
    for (const hex of [
      'a1410000',
      'a1f400',
      'a1f600',
      'a18000',
      'a1a000',
      'a1f93c0000',
      'bf9fff00ff',
      'a20000410000',
    ]) {
      assert.throws(() => decodeHex(hex), /a key of another type/, hex);
    }
    const keys = new Map<unknown, number>([
      [0, 0],
      [-1, 1],
      ['0', 2],
    ]);
    assert.deepEqual(decodeHex('a300002001613002'), keys);
  });

  it('rejects text that is not UTF-8 or that a decoder would change', () => {
    for (const hex of ['61ff', '62c328', '63eda080', '64efbbbf61', 'a161ff00', '63efbbbf']) {
      assert.throws(() => decodeHex(hex), /UTF-8/, hex);
    }
    assert.deepEqual(decodeHex('8362c3a963efbfbd64f09f9880'), ['é', '\ufffd', '😀']);
  });

  const malformed: readonly (readonly [what: string, hex: string])[] = [
    ['an empty input', ''],
    ['bytes after the item', '0000'],
    ['an array that ends early', '8201'],
    ['a map that ends early', 'a101'],
    ['an array of indefinite length that is not closed', '9f01'],
    ['a byte string that ends early', '4201'],
    ['a byte string in chunks', '5f4101ff'],
    ['a text in chunks', '7f6161ff'],
    ['an array that claims 2^53 - 1 items', '9b001fffffffffffff00'],
    ['a repeated key', 'a2616100616101'],
    ['a repeated key in a map of indefinite length', 'bf616100616101ff'],
    ['an integer that is not in its shortest form', '1800'],
    ['a length that is not in its shortest form', '5800'],
    ['a tag', 'c000'],
    ['undefined', 'f7'],
    ['an unassigned simple value', 'e0'],
  ];
  for (const [what, hex] of malformed) {
    it(`rejects ${what}`, () => {
      assert.throws(() => decodeHex(hex), /^Error: CBOR decode error/);
    });
  }
});
