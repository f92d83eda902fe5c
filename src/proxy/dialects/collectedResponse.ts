import type { ClientResponse } from '../http/clientResponse.ts';
import { singleValue } from '../http/headers.ts';

/** A complete response of the backend, or an error of the proxy in its place. */
export interface Collected {
  readonly status: number;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  readonly text: string;
}

/** Takes a response that is not sent to a client. It never waits, and a broken response is replaced by an error. */
export class CollectedResponse implements ClientResponse {
  sendDate = false;
  readonly headersSent = false;
  readonly socket = null;
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

  writeHead(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = headers;
    this.#chunks = [];
    this.#length = 0;
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isTooLong) return true;
    this.#length += bytes.length;
    this.#chunks.push(bytes);
    if (this.#length <= this.#limit) return true;
    this.#isTooLong = true;
    this.#chunks = [];
    this.#onEnd(undefined);
    return true;
  }

  end(text?: string): void {
    if (this.#isTooLong) return;
    const [status, headers] = [this.#status, this.#headers];
    const body = text ?? new TextDecoder().decode(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#onEnd({ status, headers, text: body });
  }

  /** Nothing was sent: there is nothing to flush, to wait for, or to limit. */
  flushHeaders(): void {}
  on(): void {}
  once(): void {}
  setTimeout(): void {}
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
