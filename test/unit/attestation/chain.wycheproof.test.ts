// The vectors sign short messages, not certificates. `verifyChain` verifies signatures in DER with the same call.
import { createPublicKey, verify } from 'node:crypto';
import { hex } from '../../support/vectors.ts';
import { assertCases, readWycheproof } from '../../support/wycheproof.ts';

describe("The DER signatures of verifyChain() with Wycheproof's cases", () => {
  const cases = readWycheproof('ecdsa_secp384r1_sha384', 'publicKeyDer', 'msg', 'sig');
  const isValid = ({ publicKeyDer, msg, sig }: (typeof cases)[number]) => {
    const key = createPublicKey({ key: Buffer.from(publicKeyDer, 'hex'), format: 'der', type: 'spki' });
    return verify('sha384', hex(msg), key, hex(sig));
  };

  it('accepts each valid signature', () => {
    assertCases(
      cases.filter(({ result }) => result === 'valid'),
      194,
      isValid,
    );
  });

  it('refuses each invalid signature', () => {
    assertCases(
      cases.filter(({ result }) => result !== 'valid'),
      310,
      (test) => !isValid(test),
    );
  });
});
