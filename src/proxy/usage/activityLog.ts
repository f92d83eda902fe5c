// The latest requests, for the windows of the same user: in memory only, and nothing that is not measured anyway.
import { MAX_RECORDS } from '../../shared/activity.ts';
import type { ActivityReport, RequestRecord } from '../../shared/activity.ts';
import { RequestMeter } from './requestMeter.ts';
import type { MeteredEntry, MeteredRequest } from './requestMeter.ts';

export class ActivityLog {
  readonly #instance: string;
  readonly #clocks: MeteredRequest['clocks'];
  readonly #onFinished: MeteredRequest['onFinish'];
  /** Oldest first. */
  readonly #running = new Set<RequestMeter>();
  /** A ring buffer. */
  readonly #finished: RequestRecord[] = [];
  #begun = 0;
  #ended = 0;

  /**
   * @param instance the random id of the process
   * @param onFinished is called with the record of each request that is over
   */
  constructor(instance: string, clocks: MeteredRequest['clocks'], onFinished: MeteredRequest['onFinish']) {
    this.#instance = instance;
    this.#clocks = clocks;
    this.#onFinished = onFinished;
  }

  /** Measures a new request of this caller. */
  begin(caller: string, entry: MeteredEntry): RequestMeter {
    const onFinish = (record: RequestRecord) => {
      this.#running.delete(meter);
      this.#finished[this.#ended++ % MAX_RECORDS] = record;
      this.#onFinished(record);
    };
    const meter = new RequestMeter({ id: ++this.#begun, caller, entry, clocks: this.#clocks, onFinish });
    this.#running.add(meter);
    return meter;
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
      running: Array.from(this.#running, ({ record }) => record),
      finished,
      cursor: ended,
    };
  }
}
