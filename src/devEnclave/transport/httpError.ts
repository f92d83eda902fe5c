import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODE_HEADER, ERROR_CONTRACT_HEADER, JSON_MEDIA_TYPE } from '../../session/wire.ts';

/** The two codes to which a client may respond with one resend (transport V2, section 3). */
export type ResendCode = 'session_not_found' | 'request_decryption_failed';

/** Rejects a request with a plain HTTP response, outside any envelope. */
export class HttpError extends Error {
  readonly status: number;
  readonly resendCode: ResendCode | undefined;

  constructor(status: number, message: string, resendCode?: ResendCode) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.resendCode = resendCode;
  }
}

/** The client disconnected before it had sent the complete request, so there is nobody to respond to. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected');
    this.name = 'ClientDisconnected';
  }
}

/**
 * Sends the error, with the error contract headers if it has a resend code. Reads and drops the rest of the request
 * before it ends the response: closing the connection earlier would reset it, and a client that is still sending would
 * never read the response.
 */
export function sendHttpError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, resendCode }: HttpError,
): void {
  const contract = resendCode === undefined ? {} : { [ERROR_CONTRACT_HEADER]: '1', [ERROR_CODE_HEADER]: resendCode };
  const body = Buffer.from(JSON.stringify({ status, message }));
  response.writeHead(status, { 'content-type': JSON_MEDIA_TYPE, 'content-length': body.length, ...contract });
  response.write(body);
  if (request.complete) {
    response.end();
  } else {
    request.once('end', () => response.end());
  }
  request.resume();
}
