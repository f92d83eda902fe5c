import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { SessionError } from '../../../src/session/errors.ts';
import { agree } from '../../../src/session/keys.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { hex } from '../../support/vectors.ts';
import { assertCases, readWycheproof } from '../../support/wycheproof.ts';

const CASES = readWycheproof('x25519', 'public', 'private', 'shared');
const WEAK = CASES.filter(({ shared }) => /^0+$/.test(shared));

/** The X25519 private key with these 32 bytes (RFC 8410). */
function importPrivateKey(bytes: string) {
  const prefix = '302e020100300506032b656e04220420';
  return createPrivateKey({ key: Buffer.from(prefix + bytes, 'hex'), format: 'der', type: 'pkcs8' });
}

function agreed(test: (typeof CASES)[number]): string {
  try {
    return toHex(agree(importPrivateKey(test.private), hex(test.public)));
  } catch (error) {
    assert.ok(error instanceof SessionError && error.code === 'weak_public_key');
    return 'weak';
  }
}

describe("agree() with Wycheproof's cases", () => {
  it('computes each shared secret that is not zero, also with keys that are not canonical or on the twist', () => {
    const strong = CASES.filter((test) => !WEAK.includes(test));
    assertCases(strong, 518 - 31, (test) => agreed(test) === test.shared);
  });

  it('refuses each public key whose shared secret is zero', () => {
    assertCases(WEAK, 31, (test) => test.result !== 'valid' && agreed(test) === 'weak');
  });
});
