import { concatBytes, constantTimeEqual } from '../shared/bytes.ts';
import type { UnsignedDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import type { ApprovedAttestation } from './policy.ts';

const CLIENT_PUBLIC_KEY_LABEL = Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0', 'ascii');

/** X25519 (RFC 7748 section 6.1). */
const PUBLIC_KEY_BYTES = 32;

/** The values that this handshake sent and that the document must contain. */
export interface ExpectedBindings {
  /** 32 bytes. */
  readonly challenge: Uint8Array;
  /** 32 bytes. */
  readonly clientPublicKey: Uint8Array;
}

/**
 * Checks that the document was made for this handshake (transport V2, section 1). The types admit only an approved
 * attestation or the unsigned document of a development backend on a loopback address.
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
    throw new AttestationError('nonce_mismatch', 'the attestation document does not belong to this connection');
  }
  if (publicKey?.length !== PUBLIC_KEY_BYTES) {
    throw new AttestationError('public_key_mismatch', 'the attestation document has no X25519 public key');
  }
  if (!isEqual(userData, userDataFor(clientPublicKey))) {
    throw new AttestationError(
      'user_data_mismatch',
      'the attestation document was made for a different client public key',
    );
  }
  return publicKey;
}

/** The user data that binds a document to the client's public key (transport V2, section 1). */
export function userDataFor(clientPublicKey: Uint8Array): Uint8Array {
  return concatBytes(CLIENT_PUBLIC_KEY_LABEL, clientPublicKey);
}

function isEqual(actual: Uint8Array | undefined, expected: Uint8Array): boolean {
  return actual !== undefined && constantTimeEqual(actual, expected);
}
