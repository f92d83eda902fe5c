import { codeOf } from '../shared/errors.ts';

/** Why an encrypted session or an exchange over it failed. A closed list: every new cause gets a new code. */
export type SessionErrorCode =
  /** The connection to the backend failed. */
  | 'network'
  /** A time limit of the proxy passed. */
  | 'timeout'
  /** The client disconnected, or the proxy is shutting down. */
  | 'cancelled'
  /** The handshake reply has a status other than 200, and none of those below. */
  | 'handshake_status'
  /** The handshake reply has status 429 or 500 to 599: the backend, or a server before it, is there but has a problem. */
  | 'handshake_unavailable'
  /** The handshake reply does not have exactly the form that the protocol requires. */
  | 'handshake_malformed'
  /** The attestation failed; `cause` is the AttestationError. */
  | 'attestation_refused'
  /** The enclave's image is not pinned, and the signed history of images could not be fetched. */
  | 'history_unavailable'
  /** The enclave runs a new image, and the user has not said in time whether to use it. */
  | 'image_unconfirmed'
  /** The enclave runs an image that the user has chosen not to use. */
  | 'image_refused'
  /** The enclave's public key is a low-order point. */
  | 'weak_public_key'
  /** The session id does not match the derived keys. */
  | 'session_id_mismatch'
  /** Twice in a row, the enclave did not know the session or could not open the request. */
  | 'session_rejected'
  /** The outer status of a response is not 200. */
  | 'response_status'
  /** The outer content type of a response is not exactly that of records. */
  | 'response_content_type'
  /** A record is shorter or longer than allowed. */
  | 'record_length'
  /** A record does not authenticate at its position in this response. */
  | 'record_authentication'
  /** The content of an authenticated record is invalid. */
  | 'record_malformed'
  /** Records are out of order, or data follows the last one. */
  | 'record_order'
  /** The response ended before its last record. */
  | 'truncated'
  /** The enclave reported, in an authenticated record, that the response failed. */
  | 'enclave_error'
  /** The request exceeds a limit of the envelope. */
  | 'request_too_large';

/**
 * An error of the session layer. The message is for the proxy's log, not for the HTTP client. It never contains a key, a
 * token or any part of a body.
 */
export class SessionError extends Error {
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SessionError';
    this.code = code;
  }
}

/** Returns `error` itself if it is a SessionError, else a `network` error with `error` as its cause. */
export function asSessionError(error: unknown): SessionError {
  if (error instanceof SessionError) return error;
  const detail = codeOf(error) ?? 'connection failed';
  return new SessionError('network', `The connection to the backend failed: ${detail}`, { cause: error });
}
