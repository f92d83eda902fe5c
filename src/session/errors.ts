/** Why an encrypted session or one exchange over it failed. Closed: a new cause gets a new code. */
export type SessionErrorCode =
  /** The connection to the backend could not be made, or broke. */
  | 'network'
  /** A time limit of ours passed. */
  | 'timeout'
  /** The one who asked went away. */
  | 'cancelled'
  /** The handshake was answered with a status other than 200. */
  | 'handshake_status'
  /** The handshake reply is not exactly what the protocol says. */
  | 'handshake_malformed'
  /** The attestation document was refused; `cause` says why. */
  | 'attestation_refused'
  /** The enclave's image is not a known one, and the signed history of images could not be had. */
  | 'history_unavailable'
  /** The enclave's public key is a low-order point. */
  | 'weak_public_key'
  /** The session id is not the one that the keys yield. */
  | 'session_id_mismatch'
  /** The enclave does not know the session, or could not open the request, twice in a row. */
  | 'session_rejected'
  /** An outer status that no admitted request gets. */
  | 'response_status'
  /** An outer content type that no admitted request gets. */
  | 'response_content_type'
  /** A record shorter or longer than any record may be. */
  | 'record_length'
  /** A record that was not sealed for this place of this response. */
  | 'record_authentication'
  /** An authenticated record whose content no response may have. */
  | 'record_malformed'
  /** Records in an order that no response may have, or bytes behind the last one. */
  | 'record_order'
  /** The response ended before its last record. */
  | 'truncated'
  /** The enclave said, in an authenticated record, that the response failed. */
  | 'enclave_error'
  /** The request cannot be put into an envelope. */
  | 'request_too_large';

/**
 * An error of the session layer. The message is for the log of the person who runs the proxy: it names no key, no
 * token and nothing of a body, and it is not for the HTTP client.
 */
export class SessionError extends Error {
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SessionError';
    this.code = code;
  }
}

/** `error` itself if it is of this layer, else a `network` error that keeps it as the cause. */
export function asSessionError(error: unknown): SessionError {
  if (error instanceof SessionError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const detail = typeof code === 'string' ? code : 'connection failed';
  return new SessionError('network', `The connection to the backend failed: ${detail}`, { cause: error });
}
