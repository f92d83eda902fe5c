import assert from 'node:assert/strict';
import { DerReader } from '../../../src/attestation/der.ts';
import { readExtensions } from '../../../src/attestation/extensions.ts';
import { encodeDer, encodeOid } from '../../../src/devEnclave/attestation/der.ts';

describe('readExtensions()', () => {
  const listOf = (...flag: readonly Uint8Array[]) =>
    new DerReader(
      encodeDer(
        'sequence',
        encodeDer('sequence', encodeOid('1.3.6.1.4.1.99999.1'), ...flag, encodeDer('octetString', Uint8Array.of(5, 0))),
      ),
    ).any();

  const flagOf = (...content: readonly number[]) => encodeDer('boolean', Uint8Array.from(content));

  it('refuses a flag that is not DER: false, of another number than ff, or of several bytes', () => {
    for (const flag of [[0], [1], [], [0xff, 0], [0xff, 0xff]]) {
      assert.throws(() => readExtensions(listOf(flagOf(...flag))), /a flag not in DER/, String(flag));
    }
    assert.throws(() => readExtensions(listOf(flagOf(0xff))), /an unknown critical extension/);
    assert.equal(readExtensions(listOf()).isCa, false);
  });
});
