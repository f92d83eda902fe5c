import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePcr0 } from '../../../src/shared/pcr0.ts';

const PCR0 = 'a'.repeat(96);

describe('parsePcr0()', () => {
  it('accepts upper case and surrounding space', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 48, maxLength: 48 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        assert.equal(parsePcr0(` ${hex.toUpperCase()}\n`), hex);
        assert.equal(parsePcr0(hex), hex);
      }),
    );
  });

  it('rejects everything else', () => {
    for (const text of ['', PCR0.slice(1), `${PCR0}a`, `0x${PCR0}`, 'g'.repeat(96), `${PCR0}\n${PCR0}`]) {
      assert.equal(parsePcr0(text), undefined);
    }
  });
});
