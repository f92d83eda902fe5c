// The rules of transport V2 for the outer HTTP request, checked before any of its body is kept.
import type { IncomingMessage } from 'node:http';
import { ClientDisconnected, HttpError } from './httpError.ts';

/** Credentials belong in the envelope, and records are not compressed. */
const FORBIDDEN_OUTER_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'content-encoding'];

/**
 * Checks the outer request (sections 1 and 2): POST, no query, exactly one content type, no forbidden header.
 * @throws HttpError 400
 */
export function checkOuterRequest(request: IncomingMessage, contentType: string): void {
  if (request.method !== 'POST') throw new HttpError(400, 'the method must be POST');
  if (request.url?.includes('?')) throw new HttpError(400, 'a query string is not allowed');
  if (soleHeader(request, 'content-type') !== contentType) {
    throw new HttpError(400, `content-type must be ${contentType}`);
  }
  const forbidden = FORBIDDEN_OUTER_HEADERS.find((name) => request.headersDistinct[name] !== undefined);
  if (forbidden !== undefined) throw new HttpError(400, `an outer ${forbidden} header is not allowed`);
}

/** The value of a header that occurs exactly once, or undefined. */
export function soleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values?.length === 1 ? values[0] : undefined;
}

/**
 * Reads the complete body. Checks the announced length before it keeps anything.
 * @param limit in bytes
 * @param tooLargeStatus the status of the error for a longer body
 * @throws HttpError, ClientDisconnected
 */
export function collectBody(request: IncomingMessage, limit: number, tooLargeStatus: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => new HttpError(tooLargeStatus, `the body is longer than ${limit} bytes`);
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      reject(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const keep = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      request.off('data', keep);
      reject(tooLarge());
    };
    request.on('data', keep);
    request.once('end', () => {
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length));
    });
    request.once('close', () => {
      if (!request.complete) reject(new ClientDisconnected());
    });
    request.once('error', () => {
      reject(new ClientDisconnected());
    });
  });
}
