// What happens to the enclave and the proxies during the soak, and which requests that may break.
import type { Ended, Fate } from './clients.ts';

export interface Disturbance {
  readonly what: string;
  /** The proxy; undefined: all of them. */
  readonly proxy?: string;
  /** As `performance.now()`. */
  readonly from: number;
  /** When everything had returned; until then, Infinity. */
  to: number;
  /** What it may do to requests that run during this time. */
  readonly allows: readonly Fate[];
  /** It may also break responses that take longer than this from its beginning, in milliseconds. */
  readonly breaksAfter?: number;
}

type Planned = Omit<Disturbance, 'from' | 'to'> & {
  /** After everything has returned, in milliseconds. */
  readonly grace?: number;
};

export class Disturbances {
  readonly all: Disturbance[] = [];

  /** Disturbs, and waits until everything has returned. */
  async make({ grace = 0, ...planned }: Planned, disturb: () => Promise<unknown>): Promise<void> {
    const disturbance: Disturbance = { ...planned, from: performance.now(), to: Infinity };
    this.all.push(disturbance);
    await disturb();
    disturbance.to = performance.now() + grace;
  }

  /** Whether a disturbance explains what became of a request. */
  explain({ proxy, began, ended, fate }: Ended): boolean {
    if (fate === 'complete' || fate === 'cancelled') return true;
    return this.all.some(
      (one) =>
        (one.proxy === undefined || one.proxy === proxy) &&
        one.from <= ended &&
        began <= one.to &&
        (one.allows.includes(fate) || (fate === 'broken' && ended - one.from >= (one.breaksAfter ?? Infinity))),
    );
  }
}
