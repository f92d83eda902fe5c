// src/attestation: bytes in, verdict out. No network, no clock, no log.

/** Every reason for which this layer refuses. A closed list: callers switch over it, people read the message. */
export type AttestationErrorCode =
  /** Not a COSE_Sign1 with an attestation payload, or outside one of its limits. */
  | 'malformed_document'
  /** The bundle does not start with one of the trust anchors. */
  | 'untrusted_root'
  /** A certificate that is no DER X.509 v3, or that carries something this verifier does not know. */
  | 'malformed_certificate'
  /** Not issued by, or not signed by, the certificate before it; or a role or path length that is not kept. */
  | 'certificate_chain'
  /** A key or a signature that is not ECDSA P-384 with SHA-384. */
  | 'certificate_algorithm'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  /** The document is not signed by its own leaf certificate. */
  | 'signature'
  | 'nonce_mismatch'
  | 'public_key_mismatch'
  | 'user_data_mismatch'
  /** PCR0 is all zero: the enclave runs in debug mode, where its memory can be read from outside. */
  | 'debug_mode'
  | 'pcr0_not_approved'
  /** The history of measurements is not the strict form of section 4, or belongs to the other environment. */
  | 'history_invalid';

interface AttestationErrorDetails {
  readonly cause?: unknown;
  readonly clockSkewMs?: number;
}

/** A refusal. The message is for people; it never holds a key, a nonce or any other
 * part of a document than the measurement of an image that is not approved. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';
  readonly code: AttestationErrorCode;
  /**
   * How far this computer's clock is ahead of the enclave's (negative: behind), in milliseconds. Only set when a
   * validity window failed and the enclave's own time is known from a fresh, properly signed document.
   */
  readonly clockSkewMs: number | undefined;

  constructor(code: AttestationErrorCode, message: string, details: AttestationErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.clockSkewMs = details.clockSkewMs;
  }
}
