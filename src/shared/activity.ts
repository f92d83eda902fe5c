// The latest requests of a proxy, for the dashboard: only numbers, times and names, no prompts or responses.
import { isBoolean, isCount, isListOf, isNullOr, isOneOf, isString, parseJson, passes } from './json.ts';
import type { Check } from './json.ts';
import { OUTCOMES, addHistogram, isHistogram } from './usage.ts';
import type { Histogram, Outcome } from './usage.ts';

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
  /** True for a check of the extension, which is not a use of the key. */
  readonly isCheck: boolean;
  readonly method: string;
  /** As in the log: a known path, or a placeholder for any other. */
  readonly path: string;
  /** The model that the response names, at most 200 characters; null if it names none, or one of more than 4 KiB. */
  readonly model: string | null;
  /** The model that the client asked for, likewise; null also until its body is complete, and for one of more than 4 MiB. */
  readonly requestedModel: string | null;
  /** 0 until the response starts; that of the last refusal, while the request waits for capacity. */
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
  readonly outcome: Outcome | null;
  /** `complete`, `client-gone`, or the code of the error that ended the request; empty while it runs. */
  readonly end: string;
  /** True if it has failed, and it is certain that nothing of it was sent to the backend. */
  readonly isUnsent: boolean;
  /** The code of the cause of that error, or the reason why the client was refused, as in the log; null if it is not known. */
  readonly detail: string | null;
}

const RECORD: Readonly<Record<keyof RequestRecord, Check>> = {
  id: isCount,
  at: isCount,
  caller: isString,
  isCheck: isBoolean,
  method: isString,
  path: isString,
  model: isNullOr(isString),
  requestedModel: isNullOr(isString),
  status: isCount,
  firstByteMs: isNullOr(isCount),
  durationMs: isCount,
  tokensIn: isNullOr(isCount),
  tokensOut: isNullOr(isCount),
  tokensCached: isNullOr(isCount),
  outcome: isNullOr(isOneOf(...OUTCOMES)),
  end: isString,
  isUnsent: isBoolean,
  detail: isNullOr(isString),
};

export interface ActivityReport {
  /** A random id of the process: ids of another one are not comparable. */
  readonly instance: string;
  readonly running: readonly RequestRecord[];
  /** The finished ones since the last report, oldest first; at most `MAX_RECORDS`. */
  readonly finished: readonly RequestRecord[];
  /** To be sent with the next request: finished requests after it are new. */
  readonly cursor: number;
}

const isRecords = isListOf((record) => passes(record, RECORD));

/** The report in a JSON text, or undefined if it is not one. */
export function parseActivity(json: string): ActivityReport | undefined {
  const report = parseJson(json);
  const checks = { instance: isString, running: isRecords, finished: isRecords, cursor: isCount };
  return passes(report, checks) ? (report as ActivityReport) : undefined;
}

export const HOUR = 3_600_000;

/** What one client has used of one model in one hour. The extension keeps these sums for 90 days. */
export interface UsageSum {
  /** The start of the hour (UTC), in milliseconds since 1970. */
  readonly hour: number;
  /** As in `RequestRecord`. */
  readonly caller: string;
  /** The model that the responses name; empty if they name none; `OTHER_MODELS` for those of an hour with too many. */
  readonly model: string;
  readonly requests: number;
  /** Of them: refused, failed or broken. */
  readonly errors: number;
  readonly cancelled: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  /** The times to the first byte. */
  readonly firstByte: Histogram;
}

const SUM: Readonly<Record<keyof UsageSum, Check>> = {
  hour: (value) => isCount(value) && value % HOUR === 0,
  caller: isString,
  model: isString,
  requests: isCount,
  errors: isCount,
  cancelled: isCount,
  tokensIn: isCount,
  tokensOut: isCount,
  tokensCached: isCount,
  firstByte: isHistogram,
};

export function isUsageSum(value: unknown): value is UsageSum {
  return passes(value, SUM);
}

/** With the name that the client had then; empty for requests without a valid access key, or if it is not known. */
export interface NamedUsageSum extends UsageSum {
  readonly name: string;
}

/** The start of the hour (UTC) of a time in milliseconds since 1970. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR) * HOUR;
}

/** The sums are its own: they change with each one that is added. */
type RunningSum = { -readonly [Name in keyof UsageSum]: UsageSum[Name] } & {
  readonly firstByte: Record<string, number>;
};

/** Adds up sums of the same hour, caller and model. */
export class UsageTable {
  readonly #sums = new Map<string, RunningSum>();

  add(sum: UsageSum): void {
    const key = `${sum.hour} ${sum.caller} ${sum.model}`; // a caller has no spaces
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, { ...sum, firstByte: { ...sum.firstByte } });
    else addTo(known, sum);
  }

  /** What was added so far. */
  get sums(): readonly UsageSum[] {
    return Array.from(this.#sums.values(), (sum) => ({ ...sum, firstByte: { ...sum.firstByte } }));
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  clear(): void {
    this.#sums.clear();
  }
}

function addTo(known: RunningSum, sum: UsageSum): void {
  known.requests += sum.requests;
  known.errors += sum.errors;
  known.cancelled += sum.cancelled;
  known.tokensIn += sum.tokensIn;
  known.tokensOut += sum.tokensOut;
  known.tokensCached += sum.tokensCached;
  addHistogram(known.firstByte, sum.firstByte);
}
