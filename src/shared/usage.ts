// What the clients of a proxy have used since it started: only numbers and times, no prompts or responses.
import { asObject, fieldsOf, parseJson } from './json.ts';

/** A caller that uses an API key of the backend instead of an access key. */
export const DIRECT = 'direct';
/** A caller without a valid key. */
export const UNKNOWN = 'unknown';
/** Stands for the models of one hour that are too many to be listed. */
export const OTHER_MODELS = '(other models)';

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

/** How often each time occurred, by bucket: see `bucketOf`. */
export type Histogram = Readonly<Record<string, number>>;

/** The borders of the buckets divide each doubling of the time into this many equal factors. */
const PER_DOUBLING = 4;
/** The bucket of 2^25 milliseconds, about nine hours, and everything above. */
const LAST_BUCKET = 25 * PER_DOUBLING;

/** The number of the bucket of a time in milliseconds; the first one, 0, also has everything below a millisecond. */
export function bucketOf(milliseconds: number): number {
  const bucket = Math.floor(PER_DOUBLING * Math.log2(Math.max(1, milliseconds)));
  return Math.min(bucket, LAST_BUCKET);
}

/** The counts of several histograms together. */
export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const merged: Record<string, number> = {};
  for (const histogram of histograms) {
    for (const [bucket, count] of Object.entries(histogram)) merged[bucket] = (merged[bucket] ?? 0) + count;
  }
  return merged;
}

/**
 * The time in milliseconds that `percent` of the times do not exceed, by the nearest rank; null for an empty histogram. It
 * is the middle of a bucket, so it is at most a tenth above or below the true one.
 * @param percent above 0, at most 100: 50 for the median
 */
export function percentile(histogram: Histogram, percent: number): number | null {
  const counts = Object.entries(histogram).map(([bucket, count]) => [Number(bucket), count] as const);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.ceil((total * percent) / 100);
  let passed = 0;
  for (const [bucket, count] of counts.toSorted(([one], [other]) => one - other)) {
    passed += count;
    if (count > 0 && passed >= rank) return 2 ** ((bucket + 0.5) / PER_DOUBLING);
  }
  return null;
}

/** True for counts by the numbers of buckets. */
export function isHistogram(value: unknown): value is Histogram {
  const counts = asObject(value);
  return (
    counts !== undefined &&
    Object.entries(counts).every(
      ([bucket, count]) => /^\d{1,3}$/.test(bucket) && Number(bucket) <= LAST_BUCKET && isCount(count),
    )
  );
}
