import { createPublicKey } from 'node:crypto';
import { isSignedBy } from '../../../src/attestation/signature.ts';
import { hex } from '../../support/vectors.ts';
import { assertCases, readWycheproof } from '../../support/wycheproof.ts';

describe("isSignedBy() with Wycheproof's cases", () => {
  const cases = readWycheproof('ecdsa_secp384r1_sha384_p1363', 'publicKeyDer', 'msg', 'sig');
  const isValid = ({ publicKeyDer, msg, sig }: (typeof cases)[number]) => {
    const key = createPublicKey({ key: Buffer.from(publicKeyDer, 'hex'), format: 'der', type: 'spki' });
    return isSignedBy(key, hex(msg), hex(sig));
  };

  it('accepts each valid signature', () => {
    assertCases(
      cases.filter(({ result }) => result === 'valid'),
      193,
      isValid,
    );
  });

  it('refuses each invalid signature', () => {
    assertCases(
      cases.filter(({ result }) => result !== 'valid'),
      87,
      (test) => !isValid(test),
    );
  });
});
