// Adds up what clients use by the hour, for the extension, which keeps the sums. Nothing is written here.
import type { Clock } from '../../session/transport.ts';
import { UsageTable, hourOf } from '../../shared/activity.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import type { FromProxy } from '../../shared/messages.ts';
import { OTHER_MODELS, bucketOf } from '../../shared/usage.ts';

/** In milliseconds. A crash loses the sums of this time. */
const SEND_INTERVAL = 10_000;
/** Names of models in one hour. The backend chooses them: it could name another one in each response. */
const MAX_MODELS = 32;

type UsageMessage = Extract<FromProxy, { type: 'usageSums' }>;

export class UsageCollector {
  readonly #clock: Pick<Clock, 'wall' | 'after'>;
  readonly #send: (message: UsageMessage) => void;
  readonly #table = new UsageTable();
  /** When the first request of the table was added. */
  #since = 0;
  #cancelTimer: (() => void) | undefined;
  /** The hour of the latest request, and the models in it. */
  #hour = 0;
  readonly #models = new Set<string>();

  constructor(clock: Pick<Clock, 'wall' | 'after'>, send: (message: UsageMessage) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Adds a request that is over. Those that only read (the list of models) use nothing, and windows send them regularly. */
  add(record: RequestRecord): void {
    const { caller, model, outcome, firstByteMs } = record;
    if (record.method === 'GET') return;
    const now = this.#clock.wall();
    const hour = hourOf(now);
    if (this.#table.isEmpty) {
      this.#since = now;
      this.#cancelTimer = this.#clock.after(SEND_INTERVAL, () => {
        this.flush();
      });
    }
    this.#table.add({
      hour,
      caller,
      model: this.#listed(model ?? '', hour),
      requests: 1,
      errors: outcome === 'answered' || outcome === 'cancelled' ? 0 : 1,
      cancelled: outcome === 'cancelled' ? 1 : 0,
      tokensIn: record.tokensIn ?? 0,
      tokensOut: record.tokensOut ?? 0,
      tokensCached: record.tokensCached ?? 0,
      firstByte: firstByteMs === null ? {} : { [bucketOf(firstByteMs)]: 1 },
    });
  }

  /** Sends what was not sent yet. */
  flush(): void {
    if (this.#table.isEmpty) return;
    const { sums } = this.#table;
    this.erase();
    this.#send({ type: 'usageSums', since: this.#since, sums });
  }

  /** Forgets what was not sent yet. */
  erase(): void {
    this.#cancelTimer?.();
    this.#table.clear();
  }

  #listed(model: string, hour: number): string {
    if (hour !== this.#hour) this.#models.clear();
    this.#hour = hour;
    if (model === '' || this.#models.has(model)) return model;
    if (this.#models.size === MAX_MODELS) return OTHER_MODELS;
    this.#models.add(model);
    return model;
  }
}
