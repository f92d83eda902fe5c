// The interface between the backend's API and the transport: nothing in this folder depends on how the bytes travel.
import { JSON_MEDIA_TYPE } from '../../session/wire.ts';
import type { HeaderField, ResponseStart } from '../../session/wire.ts';

/** A request to the backend's API, as decrypted from its envelope. Transport V2 calls it the logical request. */
export interface ApiRequest {
  /** The API key, or null for a request without identity. */
  readonly credential: string | null;
  readonly method: string;
  /** An origin-relative path with optional query. */
  readonly target: string;
  /** Lower-case names; order and repeats are kept. */
  readonly headers: readonly HeaderField[];
  /** Undefined: no body. */
  readonly body: Uint8Array | undefined;
}

/** Receives one response: one `start`, any number of `write`, then `end` or `fail`. */
export interface ApiResponseWriter {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  start(start: ResponseStart): void;
  /** Sends a chunk of the body. False: the client reads too slowly; await `drained` before the next call. */
  write(chunk: Uint8Array): boolean;
  /** Resolves when `write` may be called again. Rejects when the client disconnects. */
  drained(): Promise<void>;
  end(): void;
  /** Before `start`: responds with status 500. After it: ends the response so that it is visibly incomplete. */
  fail(code: string): void;
}

/** Answers one request. May reject after `response.signal` is aborted; any other rejection fails the response. */
export type ApiHandler = (request: ApiRequest, response: ApiResponseWriter) => Promise<void>;

/** Runs the handler and fails the response if it rejects. */
export async function runHandler(handler: ApiHandler, request: ApiRequest, response: ApiResponseWriter): Promise<void> {
  try {
    await handler(request, response);
  } catch (error) {
    if (response.signal.aborted) return;
    response.fail('internal_error');
    throw error;
  }
}

/** Responds with a body that is already complete. */
export function answerBytes(response: ApiResponseWriter, start: ResponseStart, body: Uint8Array): void {
  response.start(start);
  response.write(body);
  response.end();
}

/** Responds with one JSON value. */
export function answerJson(
  response: ApiResponseWriter,
  status: number,
  value: unknown,
  headers: readonly HeaderField[] = [],
): void {
  const type = { name: 'content-type', value: JSON_MEDIA_TYPE };
  answerBytes(response, { status, headers: [type, ...headers] }, Buffer.from(JSON.stringify(value)));
}
