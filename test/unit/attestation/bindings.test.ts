import assert from 'node:assert/strict';
import { checkBindings } from '../../../src/attestation/bindings.ts';
import { parseUnsignedDocument } from '../../../src/attestation/document.ts';
import { approveByPolicy } from '../../../src/attestation/policy.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import { createAuthority } from '../../../src/devEnclave/attestation/authority.ts';
import {
  type Bindings,
  DEVELOPMENT_PCR0,
  makeSignedDocument,
  makeUnsignedDocument,
} from '../../../src/devEnclave/attestation/document.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const AUTHORITY = createAuthority(NOW);
const CHALLENGE = new Uint8Array(32).fill(0x11);
const CLIENT_PUBLIC_KEY = new Uint8Array(32).fill(0x22);
const SERVER_PUBLIC_KEY = new Uint8Array(32).fill(0x33);
const EXPECTED = { challenge: CHALLENGE, clientPublicKey: CLIENT_PUBLIC_KEY };
const USER_DATA = Buffer.from(`opensecret/transport-v2/session/v1/client-public-key\0${'"'.repeat(32)}`, 'ascii');
const RIGHT: Bindings = { nonce: CHALLENGE, publicKey: SERVER_PUBLIC_KEY, userData: USER_DATA };

function approved(bindings: Bindings): Parameters<typeof checkBindings>[0] {
  const document = makeSignedDocument(AUTHORITY, { ...bindings, timestamp: NOW });
  const nonce = bindings.nonce ?? CHALLENGE;
  const attestation = verifyAttestation(document, { anchors: AUTHORITY.anchors, now: NOW, nonce });
  const policy = { environment: 'development', additional: [toHex(DEVELOPMENT_PCR0)] } as const;
  return approveByPolicy(attestation, policy) ?? assert.fail();
}

function unsigned(bindings: Bindings): Parameters<typeof checkBindings>[0] {
  return parseUnsignedDocument(makeUnsignedDocument(bindings, NOW));
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

for (const [kind, document] of Object.entries({ approved, unsigned })) {
  describe(`checkBindings() with an ${kind} document`, () => {
    it('returns the public key of the enclave if all three bindings match', () => {
      assert.deepEqual(checkBindings(document(RIGHT), EXPECTED), SERVER_PUBLIC_KEY);
    });

    it('rejects a nonce that is not the challenge', () => {
      for (const nonce of [flipped(CHALLENGE, 31), CHALLENGE.subarray(1), new Uint8Array(0)]) {
        assert.throws(() => checkBindings(document({ ...RIGHT, nonce }), EXPECTED), { code: 'nonce_mismatch' });
      }
    });

    it('rejects a public key that is missing or not 32 bytes long', () => {
      for (const publicKey of [null, new Uint8Array(31), new Uint8Array(33), new Uint8Array(1)]) {
        assert.throws(() => checkBindings(document({ ...RIGHT, publicKey }), EXPECTED), {
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
        assert.throws(() => checkBindings(document({ ...RIGHT, userData }), EXPECTED), { code: 'user_data_mismatch' });
      }
    });

    it('rejects a document for a different challenge or client public key than the handshake sent', () => {
      const right = document(RIGHT);
      assert.throws(() => checkBindings(right, { ...EXPECTED, challenge: CLIENT_PUBLIC_KEY }), {
        code: 'nonce_mismatch',
      });
      assert.throws(() => checkBindings(right, { ...EXPECTED, clientPublicKey: SERVER_PUBLIC_KEY }), {
        code: 'user_data_mismatch',
      });
    });
  });
}

describe('checkBindings() with an unsigned document without a nonce', () => {
  it('rejects it, even if the challenge is empty', () => {
    const noNonce = unsigned({ ...RIGHT, nonce: null });
    assert.throws(() => checkBindings(noNonce, EXPECTED), { code: 'nonce_mismatch' });
    assert.throws(() => checkBindings(noNonce, { ...EXPECTED, challenge: new Uint8Array(0) }), {
      code: 'nonce_mismatch',
    });
  });
});

describe('checkBindings() with a verified document that is not approved', () => {
  it('does not compile', () => {
    const document = makeSignedDocument(AUTHORITY, { ...RIGHT, timestamp: NOW });
    const attestation = verifyAttestation(document, { anchors: AUTHORITY.anchors, now: NOW, nonce: CHALLENGE });
    // @ts-expect-error the policy has not been asked
    const outOfOrder = (): Uint8Array => checkBindings(attestation, EXPECTED);
    assert.equal(typeof outOfOrder, 'function');
  });
});
