// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// What is asked and answered inside the envelope. The same backend answers over the encrypted session and over plain
// HTTP, so nothing here knows how the bytes travel.
import type { HeaderField, ResponseStart } from '../../session/wire.ts';

export interface LogicalRequest {
  /** The API key, or null for a request without identity. */
  readonly credential: string | null;
  readonly method: string;
  /** An origin-relative path with optional query. */
  readonly target: string;
  /** Lower-case names, in the order in which they came. */
  readonly headers: readonly HeaderField[];
  /** Undefined: no body at all. */
  readonly body: Uint8Array | undefined;
}

/** Where one answer goes: one `start`, any number of `write`, then `end` or `fail`. */
export interface LogicalResponseWriter {
  /** Aborted as soon as nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  start(start: ResponseStart): void;
  /** Sends a piece of the body. False: the other side is slower than this one, await `drained` before the next. */
  write(piece: Uint8Array): boolean;
  /** Resolves when there is room again, rejects when nobody waits any more. */
  drained(): Promise<void>;
  end(): void;
  /** Before the start: status 500. After it: breaks the answer off in a way that nobody can take for its end. */
  fail(code: string): void;
}

/** Answers one request. It may reject once `response.signal` is aborted; any other rejection breaks the answer off. */
export type LogicalHandler = (request: LogicalRequest, response: LogicalResponseWriter) => Promise<void>;

/** Answers with one JSON value. */
export function answerJson(
  response: LogicalResponseWriter,
  status: number,
  value: unknown,
  headers: readonly HeaderField[] = [],
): void {
  response.start({ status, headers: [{ name: 'content-type', value: 'application/json' }, ...headers] });
  response.write(Buffer.from(JSON.stringify(value)));
  response.end();
}
