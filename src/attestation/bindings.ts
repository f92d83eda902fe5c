import { concatBytes, constantTimeEqual } from '../shared/bytes.ts';
import type { AttestationDocument, UnsignedDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import type { ApprovedAttestation } from './policy.ts';
import { requireNonce } from './verify.ts';

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
  const bindings = 'attestation' in document ? document.attestation : document;
  requireNonce(bindings, challenge);
  const serverPublicKey = requireServerKey(bindings);
  requireClientKey(bindings, clientPublicKey);
  return serverPublicKey;
}

/**
 * The enclave's X25519 public key, 32 bytes.
 * @throws AttestationError `public_key_mismatch`
 */
export function requireServerKey({ publicKey }: Pick<AttestationDocument, 'publicKey'>): Uint8Array {
  if (publicKey?.length !== PUBLIC_KEY_BYTES) {
    throw new AttestationError('public_key_mismatch', 'the attestation document has no X25519 public key');
  }
  return publicKey;
}

/** @throws AttestationError `user_data_mismatch` */
export function requireClientKey(
  { userData }: Pick<AttestationDocument, 'userData'>,
  clientPublicKey: Uint8Array,
): void {
  if (userData === undefined || !constantTimeEqual(userData, userDataFor(clientPublicKey))) {
    throw new AttestationError(
      'user_data_mismatch',
      'the attestation document was made for a different client public key',
    );
  }
}

/** The user data that binds a document to the client's public key (transport V2, section 1). */
export function userDataFor(clientPublicKey: Uint8Array): Uint8Array {
  return concatBytes(CLIENT_PUBLIC_KEY_LABEL, clientPublicKey);
}
