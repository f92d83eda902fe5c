// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODE_HEADER, ERROR_CONTRACT_HEADER, JSON_MEDIA_TYPE } from '../../session/wire.ts';

/** The two refusals that a client may answer by one resend (transport v2, section 3). */
export type ResendCode = 'session_not_found' | 'request_decryption_failed';

/** A message that is not admitted: it is answered outside of any envelope. */
export class Refusal extends Error {
  readonly status: number;
  readonly resendCode: ResendCode | undefined;

  constructor(status: number, message: string, resendCode?: ResendCode) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.resendCode = resendCode;
  }
}

/** The client went away before it had sent everything: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client went away');
    this.name = 'ClientGone';
  }
}

/**
 * Writes the refusal out; only the two that may be resent are marked by the contract's headers. What is still coming of
 * the request is read and dropped, and the connection stays until then: closed earlier, it would be reset, and a client
 * that is still sending would never get to read the answer.
 */
export function answerRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, resendCode }: Refusal,
): void {
  const marks = resendCode === undefined ? {} : { [ERROR_CONTRACT_HEADER]: '1', [ERROR_CODE_HEADER]: resendCode };
  const body = Buffer.from(JSON.stringify({ status, message }));
  response.writeHead(status, { 'content-type': JSON_MEDIA_TYPE, 'content-length': body.length, ...marks });
  response.write(body);
  if (request.complete) {
    response.end();
  } else {
    request.once('end', () => response.end());
  }
  request.resume();
}
