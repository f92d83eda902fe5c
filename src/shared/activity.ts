// The latest requests of a proxy, for the dashboard: only numbers, times and names, no prompts or responses.
import type { Outcomes } from './usage.ts';

/** The number of finished requests that a proxy keeps. */
export const MAX_RECORDS = 500;

/** One request below `/v1` or of a dialect. */
export interface RequestRecord {
  /** Increases by one with each request of the process. */
  readonly id: number;
  /** When its head arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The first 16 hex digits of the access key's SHA-256, `DIRECT` or `UNKNOWN`. */
  readonly caller: string;
  readonly method: string;
  /** As in the log: a known path, or a placeholder for any other. */
  readonly path: string;
  /** The model that the response names; null if it names none. */
  readonly model: string | null;
  /** 0 until the response starts. */
  readonly status: number;
  /** Milliseconds from the head to the first byte of the response body. */
  readonly firstByteMs: number | null;
  /** Milliseconds from the head to the end, or until now. */
  readonly durationMs: number;
  /** As the response reports them. */
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly tokensCached: number | null;
  /** Null while the request runs. */
  readonly outcome: keyof Outcomes | null;
  /** `complete`, `client-gone`, or the code of the error that ended the request; empty while it runs. */
  readonly end: string;
}

export interface ActivityReport {
  /** A random id of the process: ids of another one are not comparable. */
  readonly instance: string;
  readonly running: readonly RequestRecord[];
  /** The finished ones since the last report, oldest first; at most `MAX_RECORDS`. */
  readonly finished: readonly RequestRecord[];
  /** To be sent with the next request: finished requests after it are new. */
  readonly cursor: number;
}

/** What one client has used of one model in one hour. The extension keeps these sums for 90 days. */
export interface UsageSum {
  /** The start of the hour (UTC), in milliseconds since 1970. */
  readonly hour: number;
  /** As in `RequestRecord`. */
  readonly caller: string;
  /** The model that the responses name; empty if they name none. */
  readonly model: string;
  readonly requests: number;
  /** Of them: refused, failed or broken. */
  readonly errors: number;
  readonly cancelled: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  /** A histogram of the times to the first byte: the number of responses by bucket (see `bucketOf`). */
  readonly firstByte: Readonly<Record<string, number>>;
}
