// What the clients of a proxy have used since it started: only numbers and times, no prompts or responses.
import { fieldsOf, parseJson } from './json.ts';

/** A caller that uses an API key of the backend instead of an access key. */
export const DIRECT = 'direct';
/** A caller without a valid key. */
export const UNKNOWN = 'unknown';

/** The number of requests by how they ended. */
export interface Outcomes {
  /** The backend sent a complete response with a status below 400. */
  readonly answered: number;
  /** The proxy did not relay it. */
  readonly refused: number;
  /** The backend sent a complete response with a status of 400 or above. */
  readonly failed: number;
  /** The response was missing or incomplete. */
  readonly broken: number;
  /** The client disconnected; not an error. */
  readonly cancelled: number;
}

/**
 * The usage of one caller. A request is counted when it is over; one that is refused before its key is checked, for a
 * wrong path or host, is not counted.
 */
export interface KeyUsage {
  /** The first 16 hex digits of the access key's SHA-256, `DIRECT` or `UNKNOWN`. */
  readonly caller: string;
  readonly outcomes: Outcomes;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** The number of responses that reported their tokens. */
  readonly counted: number;
  /** Milliseconds from the request head to the first byte of the response body: the median of the last 100. */
  readonly firstByte: number | null;
  /** When the last request ended, in milliseconds since 1970. */
  readonly lastAt: number;
  /** How long requests waited for the backend's capacity, in milliseconds. Missing: none did, or an older proxy. */
  readonly waitedMs?: number;
}

export interface UsageReport {
  /** When the proxy began to count, in milliseconds since 1970. */
  readonly since: number;
  readonly keys: readonly KeyUsage[];
}

/** The report in a JSON text, or undefined if it is not one. */
export function parseUsage(json: string): UsageReport | undefined {
  const { since, keys } = fieldsOf(parseJson(json));
  return isCount(since) && Array.isArray(keys) && keys.every(isKeyUsage) ? { since, keys } : undefined;
}

function isKeyUsage(value: unknown): value is KeyUsage {
  const { caller, outcomes, tokensIn, tokensOut, counted, firstByte, lastAt, waitedMs = 0 } = fieldsOf(value);
  const { answered, refused, failed, broken, cancelled } = fieldsOf(outcomes);
  const counts = [tokensIn, tokensOut, counted, lastAt, waitedMs, answered, refused, failed, broken, cancelled];
  return typeof caller === 'string' && counts.every(isCount) && (firstByte === null || isCount(firstByte));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
