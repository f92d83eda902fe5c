import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { expandOnce, hkdfSha256 } from '../../../src/session/hkdf.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import { RFC_5869, hex } from '../../support/vectors.ts';

describe('hkdfSha256', () => {
  for (const { name, ikm, salt, info, prk, okm } of RFC_5869.vectors) {
    it(`extracts the key of RFC 5869 ${name}`, () => {
      assert.equal(toHex(hkdfSha256.extract(hex(salt), hex(ikm))), prk);
    });

    it(`expands the key of RFC 5869 ${name}, with the info in one part, split at every position and byte by byte`, () => {
      const bytes = hex(info);
      const expander = hkdfSha256.expander(hex(prk));
      for (let at = 0; at <= bytes.length; at++) {
        assert.equal(toHex(expander.expand(bytes.subarray(0, at), bytes.subarray(at))), okm, `split at ${at}`);
      }
      assert.equal(toHex(expander.expand(...Array.from(bytes, (byte) => Uint8Array.of(byte)))), okm);
      assert.equal(toHex(expander.expand(bytes)), okm);
    });

    it(`truncates the output of RFC 5869 ${name} to the requested length`, () => {
      for (const length of [1, 16, 31, 32]) {
        assert.equal(toHex(expandOnce(hkdfSha256, hex(prk), length, hex(info))), okm.slice(0, 2 * length));
      }
    });
  }

  it('returns fresh memory from every expansion', () => {
    const expander = hkdfSha256.expander(new Uint8Array(32).fill(1));
    const [first, second] = [expander.expand(), expander.expand()];
    const before = toHex(second);
    first.fill(0);
    assert.equal(toHex(second), before);
    assert.equal(toHex(expander.expand()), before);
  });

  it('copies the key, even if it is a Buffer', () => {
    for (const key of [new Uint8Array(32).fill(1), Buffer.alloc(32, 1)]) {
      const expander = hkdfSha256.expander(key);
      const before = toHex(expander.expand());
      key.fill(0);
      assert.equal(toHex(expander.expand()), before);
      key.fill(1);
      expander.destroy();
      assert.equal(toHex(key), '01'.repeat(32));
    }
  });

  it('derives nothing after destroy()', () => {
    const expander = hkdfSha256.expander(new Uint8Array(32).fill(1));
    expander.expand();
    expander.destroy();
    assert.throws(() => expander.expand());
    expander.destroy();
    assert.throws(() => expander.expand());
  });

  it('does not change the key that expandOnce() uses', () => {
    const key = new Uint8Array(32).fill(1);
    expandOnce(hkdfSha256, key, 16, Uint8Array.of(1));
    assert.equal(toHex(key), '01'.repeat(32));
  });

  it('derives the same output as node:crypto, however the info is split', () => {
    const bytes = fc.uint8Array({ maxLength: 150 });
    fc.assert(
      fc.property(bytes, bytes, fc.array(bytes, { maxLength: 4 }), (salt, ikm, info) => {
        const expected = Buffer.from(hkdfSync('sha256', ikm, salt, concatBytes(...info), 32));
        const expander = hkdfSha256.expander(hkdfSha256.extract(salt, ikm));
        assert.equal(toHex(expander.expand(...info)), toHex(expected));
      }),
    );
  });
});
