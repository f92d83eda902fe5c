// Counts the requests of each access key. It keeps only numbers and times, in memory, until the process ends.
import type { Clock } from '../../session/transport.ts';
import type { ResponseStart } from '../../session/wire.ts';
import type { KeyUsage, Outcomes, UsageReport } from '../../shared/usage.ts';
import type { RequestEntry } from '../relay/requestLog.ts';
import { createTokenObserver } from './tokenObserver.ts';
import type { TokenObserver, Tokens } from './tokenObserver.ts';

type Outcome = keyof Outcomes;
type Clocks = Pick<Clock, 'wall' | 'monotonic'>;

/** The number of response times that are kept for each key. */
const MAX_TIMES = 100;

export class UsageTally {
  readonly #clocks: Clocks;
  readonly #since: number;
  /** By caller: the id of an access key, `DIRECT` or `UNKNOWN`. */
  readonly #keys = new Map<string, KeyTally>();

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#since = clocks.wall();
  }

  /** Measures a new request of this caller. */
  begin(caller: string): RequestMeter {
    const tally = this.#keys.get(caller) ?? new KeyTally();
    this.#keys.set(caller, tally);
    return new RequestMeter(tally, this.#clocks);
  }

  report(): UsageReport {
    const keys = [...this.#keys]
      .map(([caller, tally]) => ({ caller, ...tally.report() }))
      .filter(({ lastAt }) => lastAt > 0);
    return { since: this.#since, keys };
  }
}

/** Measures one request. */
export class RequestMeter {
  readonly #tally: KeyTally;
  readonly #clocks: Clocks;
  readonly #begin: number;
  #outcome: Outcome = 'broken';
  #observer: TokenObserver | undefined;
  /** Time to the first byte of the response body, in milliseconds. */
  #firstByte: number | undefined;
  #waited = 0;

  constructor(tally: KeyTally, clocks: Clocks) {
    this.#tally = tally;
    this.#clocks = clocks;
    this.#begin = clocks.monotonic();
  }

  /** The backend's response starts. */
  start({ status, headers }: ResponseStart): void {
    this.#outcome = status < 400 ? 'answered' : 'failed';
    if (this.#outcome === 'answered') this.#observer = createTokenObserver(headers);
  }

  /** A chunk of the response body, which has been sent to the client already. */
  chunk(bytes: Uint8Array): void {
    if (this.#outcome === 'answered') this.#firstByte ??= this.#clocks.monotonic() - this.#begin;
    this.#observer?.push(bytes);
  }

  /** The proxy itself answers, instead of the backend. */
  refuse(): void {
    this.#outcome = 'refused';
  }

  /** The request waited this many milliseconds for capacity. */
  waited(milliseconds: number): void {
    this.#waited += milliseconds;
  }

  /** The request is over. Adds it to the tally, and returns its outcome. */
  finish({ end }: Pick<RequestEntry, 'end'>): Outcome {
    const outcome = this.#outcomeOf(end);
    this.#tally.add(outcome, this.#clocks.wall(), this.#observer?.tokens, this.#firstByte);
    this.#tally.addWait(this.#waited);
    return outcome;
  }

  #outcomeOf(end: string): Outcome {
    if (end === 'client-gone') return 'cancelled';
    return end === 'complete' || this.#outcome === 'refused' ? this.#outcome : 'broken';
  }
}

class KeyTally {
  readonly #outcomes = { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 };
  readonly #counts = { tokensIn: 0, tokensOut: 0, counted: 0, lastAt: 0 };
  /** Times to the first byte of the latest responses, in milliseconds; a ring buffer. */
  readonly #times: number[] = [];
  #timed = 0;
  #waited = 0;

  add(outcome: Outcome, at: number, tokens: Tokens | undefined, firstByte: number | undefined): void {
    this.#outcomes[outcome]++;
    this.#counts.lastAt = at;
    if (firstByte !== undefined) this.#times[this.#timed++ % MAX_TIMES] = firstByte;
    if (tokens === undefined) return;
    this.#counts.counted++;
    this.#counts.tokensIn += tokens.input;
    this.#counts.tokensOut += tokens.output;
  }

  /** In milliseconds. */
  addWait(waited: number): void {
    this.#waited += waited;
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
