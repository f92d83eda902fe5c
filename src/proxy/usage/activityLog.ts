// The latest requests, for the windows of the same user: in memory only, and nothing that is not measured anyway.
import { MAX_RECORDS } from '../../shared/activity.ts';
import type { ActivityReport, RequestRecord } from '../../shared/activity.ts';
import type { Outcome } from '../../shared/usage.ts';
import type { RequestEntry } from './requestEntry.ts';

interface Listed {
  readonly id: number;
  readonly caller: string;
}

export class ActivityLog {
  readonly #instance: string;
  readonly #onFinished: (record: RequestRecord) => void;
  readonly #onEnded: ((entry: RequestEntry) => void) | undefined;
  /** Oldest first. */
  readonly #running = new Map<RequestEntry, Listed>();
  /** A ring buffer. */
  readonly #finished: RequestRecord[] = [];
  #begun = 0;
  #ended = 0;

  /**
   * @param instance the random id of the process
   * @param onFinished is called with the record of each listed request that is over
   * @param onEnded is called with each request that is over, also with those that are not listed
   */
  constructor(instance: string, onFinished: (record: RequestRecord) => void, onEnded?: (entry: RequestEntry) => void) {
    this.#instance = instance;
    this.#onFinished = onFinished;
    this.#onEnded = onEnded;
  }

  /** Lists a new request of this caller. */
  begin(caller: string, entry: RequestEntry): void {
    this.#running.set(entry, { id: ++this.#begun, caller });
  }

  /** The request is over. Returns its outcome; undefined if it was not listed. */
  finish(entry: RequestEntry): Outcome | undefined {
    this.#onEnded?.(entry);
    const listed = this.#running.get(entry);
    if (listed === undefined) return undefined;
    this.#running.delete(entry);
    const record = entry.record(listed.id, listed.caller, true);
    this.#finished[this.#ended++ % MAX_RECORDS] = record;
    this.#onFinished(record);
    return entry.outcome;
  }

  /** @param cursor of the previous report; one that this process has not reached yet counts as 0 */
  report(cursor: number): ActivityReport {
    const ended = this.#ended;
    const from = Math.max(cursor > ended ? 0 : cursor, ended - MAX_RECORDS);
    const finished = [];
    for (let number = from; number < ended; number++) {
      const record = this.#finished[number % MAX_RECORDS];
      if (record !== undefined) finished.push(record);
    }
    return {
      instance: this.#instance,
      running: Array.from(this.#running, ([entry, { id, caller }]) => entry.record(id, caller, false)),
      finished,
      cursor: ended,
    };
  }
}
