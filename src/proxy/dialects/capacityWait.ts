// How long a request waits for the backend to have capacity again.
import { singleValue } from '../http/headers.ts';
import type { Collected } from './collectSink.ts';

const MAX_ATTEMPTS = 3;
/** For a response that does not say when to try again, in milliseconds; doubled after each attempt. */
const DEFAULT_WAIT = 2000;

export class CapacityWait {
  readonly #limit: number;
  readonly #now: () => number;
  #attempts = 1;
  #waited = 0;

  /**
   * @param limit how long the request may wait in total, in milliseconds; 0: not at all
   * @param now the time since 1970, in milliseconds
   */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Milliseconds until the next attempt after this response; undefined: there is none. Counts them as waited. */
  next({ status, headers }: Pick<Collected, 'status' | 'headers'>): number | undefined {
    if (status !== 429 && status !== 503) return undefined;
    const wait = this.#parse(singleValue(headers, 'retry-after')) ?? DEFAULT_WAIT * 2 ** (this.#attempts - 1);
    if (this.#attempts === MAX_ATTEMPTS || this.#waited + wait > this.#limit || this.#limit === 0) return undefined;
    this.#attempts++;
    this.#waited += wait;
    return wait;
  }

  /** Seconds, or a date (RFC 9110 section 10.2.3). */
  #parse(retryAfter: string | undefined | null): number | undefined {
    if (typeof retryAfter !== 'string') return undefined;
    if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
    const at = Date.parse(retryAfter);
    return Number.isNaN(at) ? undefined : Math.max(0, at - this.#now());
  }
}

/** Resolves after this time, or when the signal is aborted. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
