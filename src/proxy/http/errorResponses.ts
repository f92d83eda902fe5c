// Writes the responses that the proxy makes itself.
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { errorBody } from './openaiErrors.ts';
import type { ClientError } from './openaiErrors.ts';

/** With the ID that the log has for the request. */
export const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Sends a JSON response.
 * @param headers further ones: name, value, name, value ...
 */
export function sendJson(res: ServerResponse, status: number, json: string, headers: readonly string[] = []): void {
  const length = String(Buffer.byteLength(json));
  res.writeHead(status, ['content-type', 'application/json', 'content-length', length, ...headers]);
  res.end(json);
}

/**
 * Sends an error.
 * @param format makes the JSON body, by default an OpenAI error object
 */
export function sendError(
  res: ServerResponse,
  error: ClientError,
  headers: readonly string[] = [],
  format: (error: ClientError) => string = errorBody,
): void {
  sendJson(res, error.status, format(error), [...(error.headers ?? []), ...headers]);
}

/** The complete response as text, for a connection that Node's HTTP parser has given up. */
export function rawError(error: ClientError, requestId: string): string {
  const body = errorBody(error);
  return (
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\ncontent-type: application/json\r\n` +
    `${REQUEST_ID_HEADER}: ${requestId}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}
