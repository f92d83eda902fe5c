const DELAYS = [1000, 2000, 4000, 8000] as const;
const WINDOW = 3 * 60_000;

/**
 * Decides from earlier failures what a window does by itself: when it restarts a crashed proxy, and whether it replaces an
 * older one. Times in milliseconds, from any single clock.
 */
export class RestartPolicy {
  #crashes: number[] = [];
  #mayTakeOver = true;
  #uselessStarts = 0;

  /**
   * Whether this window may replace a proxy of an older version. Not after its own process has failed: otherwise a version
   * that cannot run and an older one would take the port from each other in turns.
   */
  get mayTakeOver(): boolean {
    return this.#mayTakeOver;
  }

  /** How often in a row a start found the port free and could not use it. */
  get uselessStarts(): number {
    return this.#uselessStarts;
  }

  /** Counts a crash at `now`. Returns the delay before a restart, or undefined after the fifth crash in three minutes. */
  crashed(now: number): number | undefined {
    this.#mayTakeOver = false;
    this.#crashes.push(now);
    return DELAYS[this.count(now) - 1];
  }

  /** A start has failed. */
  failed(): void {
    this.#mayTakeOver = false;
  }

  /** A start has ended with a role on the port. `isUseless`: the port was free and could not be used. */
  ended(isUseless: boolean): void {
    this.#uselessStarts = isUseless ? this.#uselessStarts + 1 : 0;
  }

  /** The number of crashes in the last three minutes. */
  count(now: number): number {
    this.#crashes = this.#crashes.filter((at) => now - at < WINDOW);
    return this.#crashes.length;
  }

  /** Forgets all failures, since the user has started the proxy. */
  reset(): void {
    this.#crashes = [];
    this.#mayTakeOver = true;
    this.#uselessStarts = 0;
  }
}
