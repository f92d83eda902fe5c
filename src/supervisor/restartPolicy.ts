// When a proxy that ended by itself is started again. Pure: times come in, delays go out.

const DELAYS = [1000, 2000, 4000, 8000] as const;
const MAX_CRASHES = 5;
const WINDOW = 3 * 60_000;

/** Counts crashes. Times in milliseconds of any one clock. */
export class RestartPolicy {
  #crashes: number[] = [];

  /** How long to wait after a crash at `now`; undefined: five within three minutes, give up. */
  crashed(now: number): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < WINDOW), now];
    const count = this.#crashes.length;
    if (count >= MAX_CRASHES) return undefined;
    return DELAYS[Math.min(count, DELAYS.length) - 1];
  }

  /** How often it ended by itself within the last three minutes. */
  count(now: number): number {
    return this.#crashes.filter((at) => now - at < WINDOW).length;
  }

  /** A person started it: what was before does not count. */
  reset(): void {
    this.#crashes = [];
  }
}
