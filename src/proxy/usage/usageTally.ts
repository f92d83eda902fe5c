// Counts the requests of each access key. It keeps only numbers and times, in memory, until the process ends.
import type { Clock } from '../../session/transport.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import type { KeyUsage, UsageReport } from '../../shared/usage.ts';

/** The number of response times that are kept for each key. */
const MAX_TIMES = 100;

export class UsageTally {
  readonly #clock: Pick<Clock, 'wall'>;
  readonly #since: number;
  /** By caller: the id of an access key, `DIRECT` or `UNKNOWN`. */
  readonly #keys = new Map<string, KeyTally>();

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock;
    this.#since = clock.wall();
  }

  /** Adds a request that is over. */
  add(record: RequestRecord, waitedMs: number): void {
    const tally = this.#keys.get(record.caller) ?? new KeyTally();
    this.#keys.set(record.caller, tally);
    tally.add(record, waitedMs, this.#clock.wall());
  }

  report(): UsageReport {
    return { since: this.#since, keys: [...this.#keys].map(([caller, tally]) => ({ caller, ...tally.report() })) };
  }
}

class KeyTally {
  readonly #outcomes = { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 };
  readonly #counts = { tokensIn: 0, tokensOut: 0, counted: 0, lastAt: 0 };
  /** Times to the first byte of the latest responses, in milliseconds; a ring buffer. */
  readonly #times: number[] = [];
  #timed = 0;
  #waited = 0;

  add({ outcome, firstByteMs, tokensIn, tokensOut }: RequestRecord, waitedMs: number, at: number): void {
    if (outcome !== null) this.#outcomes[outcome]++;
    this.#counts.lastAt = at;
    this.#waited += waitedMs;
    if (firstByteMs !== null) this.#times[this.#timed++ % MAX_TIMES] = firstByteMs;
    if (tokensIn === null) return;
    this.#counts.counted++;
    this.#counts.tokensIn += tokensIn;
    this.#counts.tokensOut += tokensOut ?? 0;
  }

  report(): Omit<KeyUsage, 'caller'> {
    const waited = this.#waited === 0 ? {} : { waitedMs: this.#waited };
    return { outcomes: { ...this.#outcomes }, ...this.#counts, firstByte: median(this.#times), ...waited };
  }
}

/** The lower median; null for an empty list. */
function median(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? null;
}
