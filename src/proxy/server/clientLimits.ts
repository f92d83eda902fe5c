// What the operator allows each client of the command line: until when, which models, and how much in a minute. The counts
// are in memory: each process has its own.
import type { Clock } from '../../session/transport.ts';
import { accessKeyExpired, limitReached } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';

/** The limits of one access key; a limit that is left out does not exist. */
export interface KeyLimits {
  /** The last day on which the key is accepted, in UTC: `2027-01-31`. */
  readonly expires?: string;
  /** The only models that may be asked for. */
  readonly models?: readonly string[];
  /** In a minute. */
  readonly requests?: number;
  /** Of prompts and answers, in a minute. */
  readonly tokens?: number;
}

const SECOND = 1000;
const SECONDS = 60;
const DAY = 86_400_000;

/** Whether the last day of a key is over, at this time in milliseconds since 1970. */
export function isOver(day: string, now: number): boolean {
  return now >= Date.parse(day) + DAY;
}

/** Sums the last minute, to a second. */
class MinuteSum {
  /** The amounts of the latest seconds, each in the place of its second modulo 60. */
  readonly #amounts = new Float64Array(SECONDS);
  #second = 0;
  #sum = 0;

  add(amount: number, second: number): void {
    this.#forget(second);
    this.#amounts[second % SECONDS] = (this.#amounts[second % SECONDS] ?? 0) + amount;
    this.#sum += amount;
  }

  /** Seconds until the sum is below the limit; 0: it is. */
  wait(limit: number, second: number): number {
    this.#forget(second);
    let rest = this.#sum;
    let seconds = 0;
    for (; rest >= limit && seconds < SECONDS; seconds++) rest -= this.#amounts[(second + 1 + seconds) % SECONDS] ?? 0;
    return seconds;
  }

  /** Drops what is a minute old at this second. */
  #forget(second: number): void {
    const passed = Math.min(second - this.#second, SECONDS);
    for (let back = 0; back < passed; back++) {
      const place = (second - back) % SECONDS;
      this.#sum -= this.#amounts[place] ?? 0;
      this.#amounts[place] = 0;
    }
    this.#second = Math.max(second, this.#second);
  }
}

export class ClientLimits {
  readonly #clock: Pick<Clock, 'wall' | 'monotonic'>;
  /** By the client's name, which its keys share, also when they are loaded again. */
  readonly #requests = new Map<string, MinuteSum>();
  readonly #tokens = new Map<string, MinuteSum>();

  constructor(clock: Pick<Clock, 'wall' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a request of this client, or returns the error to refuse it with. */
  admit(client: string, { expires, requests, tokens }: KeyLimits): ClientError | undefined {
    if (expires !== undefined && isOver(expires, this.#clock.wall())) return accessKeyExpired(expires);
    const second = this.#second;
    if (requests !== undefined) {
      const wait = sumOf(this.#requests, client).wait(requests, second);
      if (wait > 0) return limitReached(requests, 'requests', wait);
    }
    if (tokens !== undefined) {
      const wait = sumOf(this.#tokens, client).wait(tokens, second);
      if (wait > 0) return limitReached(tokens, 'tokens', wait);
    }
    if (requests !== undefined) sumOf(this.#requests, client).add(1, second);
    return undefined;
  }

  /** A request of this client has taken so many tokens. */
  spend(client: string, { tokens: limit }: KeyLimits, tokens: number): void {
    if (limit !== undefined) sumOf(this.#tokens, client).add(tokens, this.#second);
  }

  get #second(): number {
    return Math.floor(this.#clock.monotonic() / SECOND);
  }
}

function sumOf(sums: Map<string, MinuteSum>, client: string): MinuteSum {
  const known = sums.get(client);
  if (known !== undefined) return known;
  const sum = new MinuteSum();
  sums.set(client, sum);
  return sum;
}
