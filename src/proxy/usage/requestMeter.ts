import type { Clock } from '../../session/transport.ts';
import type { ResponseStart } from '../../session/wire.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import type { Outcomes } from '../../shared/usage.ts';
import { round } from '../relay/requestLog.ts';
import type { RequestEntry } from '../relay/requestLog.ts';
import { createTokenObserver } from './tokenObserver.ts';
import type { TokenObserver } from './tokenObserver.ts';

type Outcome = keyof Outcomes;

/** The log entry, which has what a record also shows. */
export type MeteredEntry = Pick<RequestEntry, 'method' | 'path' | 'status' | 'end'>;

export interface MeteredRequest {
  /** Increases with each request of the process. */
  readonly id: number;
  /** The id of an access key, `DIRECT` or `UNKNOWN`. */
  readonly caller: string;
  readonly entry: MeteredEntry;
  readonly clocks: Pick<Clock, 'wall' | 'monotonic'>;
  readonly onFinish: (record: RequestRecord) => void;
}

/** Measures one request: times, tokens and the model, and nothing else of its content. */
export class RequestMeter {
  readonly #request: MeteredRequest;
  readonly #at: number;
  readonly #begin: number;
  #outcome: Outcome = 'broken';
  #observer: TokenObserver | undefined;
  /** Time to the first byte of the response body, in milliseconds. */
  #firstByte: number | undefined;

  constructor(request: MeteredRequest) {
    this.#request = request;
    this.#at = request.clocks.wall();
    this.#begin = request.clocks.monotonic();
  }

  /** The backend's response starts. */
  start({ status, headers }: ResponseStart): void {
    this.#outcome = status < 400 ? 'answered' : 'failed';
    if (this.#outcome === 'answered') this.#observer = createTokenObserver(headers);
  }

  /** A chunk of the response body, which has been sent to the client already. */
  chunk(bytes: Uint8Array): void {
    if (this.#outcome === 'answered') this.#firstByte ??= this.#elapsed();
    this.#observer?.push(bytes);
  }

  /** The proxy itself answers, instead of the backend. */
  refuse(): void {
    this.#outcome = 'refused';
  }

  /** The request is over. Returns its outcome. */
  finish(): Outcome {
    const { entry, onFinish } = this.#request;
    const outcome = this.#outcomeOf(entry.end);
    onFinish(this.#record(outcome, entry.end));
    return outcome;
  }

  /** What is known of the request while it runs. */
  get record(): RequestRecord {
    return this.#record(null, '');
  }

  #record(outcome: Outcome | null, end: string): RequestRecord {
    const { id, caller, entry } = this.#request;
    const tokens = this.#observer?.tokens;
    // Not composed of other objects: this is done for each request.
    return {
      id,
      at: this.#at,
      caller,
      method: entry.method,
      path: entry.path,
      model: this.#observer?.model ?? null,
      status: entry.status,
      firstByteMs: this.#firstByte === undefined ? null : round(this.#firstByte),
      durationMs: round(this.#elapsed()),
      tokensIn: tokens?.input ?? null,
      tokensOut: tokens?.output ?? null,
      tokensCached: tokens?.cached ?? null,
      outcome,
      end,
    };
  }

  #elapsed(): number {
    return this.#request.clocks.monotonic() - this.#begin;
  }

  #outcomeOf(end: string): Outcome {
    if (end === 'client-gone') return 'cancelled';
    return end === 'complete' || this.#outcome === 'refused' ? this.#outcome : 'broken';
  }
}
