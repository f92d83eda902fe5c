// How the requests of clients are counted: by caller, outcome, and time to the first byte.
import { asObject, isCount } from './json.ts';

/** A caller that uses an API key of the backend instead of an access key. */
export const DIRECT = 'direct';
/** A caller without a valid key. */
export const UNKNOWN = 'unknown';
/** Stands for the models of one hour that are too many to be listed. */
export const OTHER_MODELS = '(other models)';

/** How a request can end. */
export const OUTCOMES = [
  /** The backend sent a complete response with a status below 400. */
  'answered',
  /** The proxy did not relay it. */
  'refused',
  /** The backend sent a complete response with a status of 400 or above. */
  'failed',
  /** The response was missing or incomplete. */
  'broken',
  /** The client disconnected; not an error. */
  'cancelled',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

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
  for (const histogram of histograms) addHistogram(merged, histogram);
  return merged;
}

/** Adds the counts of `histogram` to those of `sum`. */
export function addHistogram(sum: Record<string, number>, histogram: Histogram): void {
  for (const bucket in histogram) sum[bucket] = (sum[bucket] ?? 0) + (histogram[bucket] ?? 0);
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

/** More than any response can have: larger counts are invalid, and would spoil a sum. */
const MAX_TOKENS = 1e9;

/** True for a number of tokens as backends report it. */
export function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && isCount(value) && value <= MAX_TOKENS;
}
