import { type KeyObject, verify } from 'node:crypto';

/** ECDSA P-384: r and s, 48 bytes each. */
export const SIGNATURE_BYTES = 96;

/**
 * Verifies an ECDSA signature with SHA-384: ES384 of an attestation document (RFC 9053 section 2.1), or the signature of
 * an entry of a PCR0 history.
 *
 * @param key on P-384
 * @param signature r || s
 */
export function isSignedBy(key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === SIGNATURE_BYTES && verify('sha384', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
