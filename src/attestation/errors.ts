/** Why this layer rejects a document or a history. A closed list, so that callers can switch over it. */
export type AttestationErrorCode =
  /** Not a COSE_Sign1 with an attestation payload, or one of its limits is exceeded. */
  | 'malformed_document'
  /** The certificate chain does not start with one of the trust anchors. */
  | 'untrusted_root'
  /** A certificate does not have the form of docs/evidence.md: X.509 v3 in DER, with the extensions that are processed. */
  | 'malformed_certificate'
  /** A certificate is not issued or not signed by the previous one, or violates its role or path length. */
  | 'certificate_chain'
  /** A key or a signature of a certificate is not ECDSA P-384 with SHA-384. */
  | 'certificate_algorithm'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  /** The document is not signed with the key of its leaf certificate. */
  | 'signature'
  | 'nonce_mismatch'
  | 'public_key_mismatch'
  | 'user_data_mismatch'
  /** PCR0 is all zero: the enclave runs in debug mode, where the host can read its memory. */
  | 'debug_mode'
  | 'pcr0_not_approved'
  /** The PCR0 history does not have the form of transport V2, section 4, or belongs to the other environment. */
  | 'history_invalid';

interface AttestationErrorDetails {
  readonly cause?: unknown;
  readonly clockSkewMs?: number;
}

/**
 * A failed attestation. The message is for users and logs. Of the document, it may contain the PCR0 of an image that is
 * not approved, but never a key or a nonce.
 */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';
  readonly code: AttestationErrorCode;
  /**
   * How far this computer's clock is ahead of the enclave's (negative: behind), in milliseconds. Set only if a validity
   * check failed and a fresh, signed document gave the enclave's time.
   */
  readonly clockSkewMs: number | undefined;

  constructor(code: AttestationErrorCode, message: string, details: AttestationErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.clockSkewMs = details.clockSkewMs;
  }
}
