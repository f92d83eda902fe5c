import type { ResponseSink } from '../../session/exchange.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { responseHeaders, singleValue } from '../http/headers.ts';
import { errorBody } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';

/** A complete response of the backend, or an error of the proxy in its place. */
export interface Collected {
  readonly status: number;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  readonly text: string;
}

/** Collects a response that is read when it is complete. A broken response is replaced by an error. */
export class CollectSink implements ResponseSink<ClientError> {
  readonly #limit: number;
  readonly #onEnd: (collected: Collected | undefined) => void;
  #status = 0;
  #headers: readonly string[] = [];
  #chunks: Uint8Array[] = [];
  #length = 0;
  #isTooLong = false;

  /**
   * @param limit the longest body, in bytes
   * @param onEnd receives the response; undefined as soon as it is too long
   */
  constructor(limit: number, onEnd: (collected: Collected | undefined) => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  start({ status, headers }: ResponseStart): void {
    this.#status = status;
    this.#headers = responseHeaders(headers);
  }

  chunk(bytes: Uint8Array): void {
    if (this.#isTooLong) return;
    this.#length += bytes.length;
    this.#chunks.push(bytes);
    if (this.#length <= this.#limit) return;
    this.#isTooLong = true;
    this.#chunks = [];
    this.#onEnd(undefined);
  }

  end(): void {
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks));
    this.#finish({ status: this.#status, headers: this.#headers, text });
  }

  fail(error: ClientError): void {
    this.#finish({ status: error.status, headers: error.headers ?? [], text: errorBody(error) });
  }

  #finish(collected: Collected): void {
    if (this.#isTooLong) return;
    this.#chunks = [];
    this.#onEnd(collected);
  }
}

/** The fields of a response that its translation keeps: name, value, name, value ... */
export function keptHeaders(raw: readonly string[]): string[] {
  return KEPT.flatMap((name) => {
    const value = singleValue(raw, name);
    return typeof value === 'string' ? [name, value] : [];
  });
}

/** When to try again, what to send, and a number for support. */
const KEPT = ['retry-after', 'www-authenticate', 'allow', 'x-request-id'];
