import type { CheckError } from '../shared/checks.ts';

/** Why this layer rejects a document or a history: the errors of its checks. */
export type AttestationErrorCode = CheckError;

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
