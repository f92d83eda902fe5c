import assert from 'node:assert/strict';
import { approveEnclave, checkUnsigned, verifyDocument } from '../../../src/attestation/checks.ts';
import { parseUnsignedDocument } from '../../../src/attestation/document.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import {
  type Bindings,
  makeSignedDocument,
  makeUnsignedDocument,
} from '../../../src/devEnclave/attestation/document.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const AUTHORITY = createAuthority(NOW);
const CHALLENGE = new Uint8Array(32).fill(0x11);
const CLIENT_PUBLIC_KEY = new Uint8Array(32).fill(0x22);
const SERVER_PUBLIC_KEY = new Uint8Array(32).fill(0x33);
const SENT = { challenge: CHALLENGE, clientPublicKey: CLIENT_PUBLIC_KEY };
const USER_DATA = Buffer.from(`opensecret/transport-v2/session/v1/client-public-key\0${'"'.repeat(32)}`, 'ascii');
const RIGHT: Bindings = { nonce: CHALLENGE, publicKey: SERVER_PUBLIC_KEY, userData: USER_DATA };

/** The public key in a signed document with these bindings. */
function signed(bindings: Bindings, sent = SENT): Uint8Array {
  const bytes = makeSignedDocument(AUTHORITY, { ...bindings, timestamp: NOW });
  const { challenge, clientPublicKey } = sent;
  const document = verifyDocument({ bytes, anchors: AUTHORITY.anchors, at: NOW, challenge });
  return approveEnclave(document, { approve: () => ({ by: 'setting' }), clientPublicKey }).serverPublicKey;
}

function unsigned(bindings: Bindings, sent = SENT): Uint8Array {
  return checkUnsigned(parseUnsignedDocument(makeUnsignedDocument(bindings, NOW)), sent);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

for (const [name, check] of Object.entries({
  'verifyDocument() and approveEnclave()': signed,
  'checkUnsigned()': unsigned,
})) {
  describe(name, () => {
    it('returns the public key of the enclave if all three bindings match', () => {
      assert.deepEqual(check(RIGHT), SERVER_PUBLIC_KEY);
    });

    it('rejects a nonce that is not the challenge', () => {
      for (const nonce of [flipped(CHALLENGE, 31), CHALLENGE.subarray(1), new Uint8Array(0)]) {
        assert.throws(() => check({ ...RIGHT, nonce }), { code: 'nonce_mismatch' });
      }
    });

    it('rejects a public key that is missing or not 32 bytes long', () => {
      for (const publicKey of [null, new Uint8Array(31), new Uint8Array(33), new Uint8Array(1)]) {
        assert.throws(() => check({ ...RIGHT, publicKey }), {
          code: 'public_key_mismatch',
        });
      }
    });

    it('rejects user data that is missing or not the label and the client public key', () => {
      const wrong = [
        null,
        new Uint8Array(0),
        CLIENT_PUBLIC_KEY,
        flipped(USER_DATA, 0),
        flipped(USER_DATA, 52),
        flipped(USER_DATA, 84),
        USER_DATA.subarray(0, -1),
        concatBytes(USER_DATA, Uint8Array.of(0)),
      ];
      for (const userData of wrong) {
        assert.throws(() => check({ ...RIGHT, userData }), { code: 'user_data_mismatch' });
      }
    });

    it('rejects a document for a different challenge or client public key than the handshake sent', () => {
      assert.throws(() => check(RIGHT, { ...SENT, challenge: CLIENT_PUBLIC_KEY }), { code: 'nonce_mismatch' });
      assert.throws(() => check(RIGHT, { ...SENT, clientPublicKey: SERVER_PUBLIC_KEY }), {
        code: 'user_data_mismatch',
      });
    });

    it('rejects a document without a nonce, even if the challenge is empty', () => {
      for (const challenge of [CHALLENGE, new Uint8Array(0)]) {
        assert.throws(() => check({ ...RIGHT, nonce: null }, { ...SENT, challenge }), { code: 'nonce_mismatch' });
      }
    });
  });
}

describe('approveEnclave() with a document that is not verified', () => {
  it('does not compile', () => {
    const input = { approve: () => ({ by: 'setting' }), clientPublicKey: CLIENT_PUBLIC_KEY } as const;
    const document = parseUnsignedDocument(makeUnsignedDocument(RIGHT, NOW));
    // @ts-expect-error the document has not been verified
    const outOfOrder = () => approveEnclave(document, input);
    assert.equal(typeof outOfOrder, 'function');
  });
});
