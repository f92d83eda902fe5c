// What the clients of a proxy have used since it started: numbers and times, and nothing of what was said.
import { fieldsOf } from './json.ts';

/** In the place of an access key's id: the client has a key of the backend's own. */
export const DIRECT = 'direct';
/** The same: no key that counts. */
export const UNKNOWN = 'unknown';

/** How a request ended. */
export interface Outcomes {
  /** Answered by the backend, to the end, with a status below 400. */
  readonly answered: number;
  /** The proxy did not relay it. */
  readonly refused: number;
  /** Answered by the backend with a status from 400 on. */
  readonly failed: number;
  /** No answer came, or not the whole of one. */
  readonly broken: number;
  /** The client went away. No error. */
  readonly cancelled: number;
}

/**
 * What was asked with one access key. Requests count when they are over, and if they come as far as their key: a wrong
 * path or host is nobody's.
 */
export interface KeyUsage {
  /** The first 16 hex digits of the access key's SHA-256, `DIRECT` or `UNKNOWN`. */
  readonly caller: string;
  readonly outcomes: Outcomes;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many answers have said their tokens. */
  readonly counted: number;
  /** From the request's head to the first byte of the answer's body, in milliseconds: the median of the last 100. */
  readonly firstByte: number | null;
  /** When the last request ended, in milliseconds since 1970. */
  readonly lastAt: number;
}

export interface UsageReport {
  /** When the proxy began to count, in milliseconds since 1970. */
  readonly since: number;
  readonly keys: readonly KeyUsage[];
}

/** The report that `json` is, or undefined. */
export function parseUsage(json: string): UsageReport | undefined {
  try {
    const { since, keys } = fieldsOf(JSON.parse(json));
    const valid = isCount(since) && Array.isArray(keys) && keys.every(isKeyUsage);
    return valid ? { since, keys } : undefined;
  } catch {
    return undefined;
  }
}

function isKeyUsage(value: unknown): value is KeyUsage {
  const { caller, outcomes, tokensIn, tokensOut, counted, firstByte, lastAt } = fieldsOf(value);
  const { answered, refused, failed, broken, cancelled } = fieldsOf(outcomes);
  const counts = [tokensIn, tokensOut, counted, lastAt, answered, refused, failed, broken, cancelled];
  return typeof caller === 'string' && counts.every(isCount) && (firstByte === null || isCount(firstByte));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
