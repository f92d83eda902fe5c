// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// What transport v2 asks of the outer HTTP message, judged before a byte of its body is kept.
import type { IncomingMessage } from 'node:http';
import { ClientGone, Refusal } from './refusal.ts';

/** What an outer message must never carry: identity belongs into the envelope, and records are not compressed. */
const FORBIDDEN_OUTER_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'content-encoding'];

/**
 * Holds the outer message to sections 1 and 2: POST, no query, exactly one content type, none of the forbidden headers.
 * @throws Refusal 400
 */
export function requireOuterForm(request: IncomingMessage, contentType: string): void {
  if (request.method !== 'POST') throw new Refusal(400, 'only POST is answered here');
  if (request.url?.includes('?')) throw new Refusal(400, 'a query string is not allowed');
  if (soleHeader(request, 'content-type') !== contentType)
    throw new Refusal(400, `content-type must be ${contentType}`);
  const forbidden = FORBIDDEN_OUTER_HEADERS.find((name) => request.headersDistinct[name] !== undefined);
  if (forbidden !== undefined) throw new Refusal(400, `an outer ${forbidden} header is not allowed`);
}

/** The value of a header that came exactly once, or undefined. */
export function soleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values?.length === 1 ? values[0] : undefined;
}

/**
 * The whole body, of at most `limit` bytes. What the client announces is judged before anything is kept.
 * @param tooLargeStatus the status that refuses a longer one
 * @throws Refusal, ClientGone
 */
export function collectBody(request: IncomingMessage, limit: number, tooLargeStatus: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLong = () => new Refusal(tooLargeStatus, `more than ${limit} bytes`);
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      reject(tooLong());
      return;
    }
    const pieces: Buffer[] = [];
    let length = 0;
    const keep = (piece: Buffer) => {
      length += piece.length;
      if (length <= limit) {
        pieces.push(piece);
        return;
      }
      request.off('data', keep);
      reject(tooLong());
    };
    request.on('data', keep);
    request.once('end', () => {
      resolve(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length));
    });
    request.once('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
    request.once('error', () => {
      reject(new ClientGone());
    });
  });
}
