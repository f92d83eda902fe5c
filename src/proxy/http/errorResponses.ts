// Writing the answers that the proxy makes itself.
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { errorBody } from './openaiErrors.ts';
import type { ProxyError } from './openaiErrors.ts';

/**
 * Answers with JSON.
 * @param further name, value, name, value ...
 */
export function sendJson(res: ServerResponse, status: number, json: string, further: readonly string[] = []): void {
  const length = String(Buffer.byteLength(json));
  res.writeHead(status, ['content-type', 'application/json', 'content-length', length, ...further]);
  res.end(json);
}

/** Answers with an OpenAI error object. */
export function sendError(res: ServerResponse, error: ProxyError, further: readonly string[] = []): void {
  sendJson(res, error.status, errorBody(error), [...(error.headers ?? []), ...further]);
}

/** The same as bytes, for a connection on which HTTP itself has failed. */
export function rawError(error: ProxyError): string {
  const body = errorBody(error);
  return (
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}
