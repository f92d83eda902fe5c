// src/attestation: bytes in, verdict out. No network, no clock, no log.
import { concatBytes, constantTimeEqual } from '../shared/bytes.ts';
import type { UnsignedDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import type { ApprovedAttestation } from './policy.ts';

const CLIENT_PUBLIC_KEY_LABEL = Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0', 'ascii');

/** X25519 (RFC 7748 section 6.1). */
const PUBLIC_KEY_BYTES = 32;

/** What this handshake sent, and what the document must therefore carry. */
export interface ExpectedBindings {
  /** 32 bytes. */
  readonly challenge: Uint8Array;
  /** 32 bytes. */
  readonly clientPublicKey: Uint8Array;
}

/**
 * Checks that the document answers this very handshake (transport-v2 section 1). Only an approved attestation gets
 * this far; the one exception is the unsigned document of a developer's own loopback backend.
 *
 * @returns the enclave's X25519 public key, 32 bytes
 * @throws AttestationError `nonce_mismatch`, `public_key_mismatch`, `user_data_mismatch`
 */
export function checkBindings(
  document: ApprovedAttestation | UnsignedDocument,
  { challenge, clientPublicKey }: ExpectedBindings,
): Uint8Array {
  const { nonce, publicKey, userData } = 'attestation' in document ? document.attestation : document;
  if (!isEqual(nonce, challenge)) {
    throw new AttestationError('nonce_mismatch', 'the attestation document answers another challenge');
  }
  if (publicKey?.length !== PUBLIC_KEY_BYTES) {
    throw new AttestationError('public_key_mismatch', 'the attestation document has no X25519 public key');
  }
  if (!isEqual(userData, concatBytes(CLIENT_PUBLIC_KEY_LABEL, clientPublicKey))) {
    throw new AttestationError('user_data_mismatch', 'the attestation document is for another client public key');
  }
  return publicKey;
}

function isEqual(actual: Uint8Array | undefined, expected: Uint8Array): boolean {
  return actual !== undefined && constantTimeEqual(actual, expected);
}
