const DELAYS = [1000, 2000, 4000, 8000] as const;
const MAX_CRASHES = 5;
const WINDOW = 3 * 60_000;

/** Decides when a crashed proxy is restarted. Times in milliseconds, from any single clock. */
export class RestartPolicy {
  #crashes: number[] = [];

  /** Counts a crash at `now`. Returns the delay before a restart, or undefined after five crashes in three minutes. */
  crashed(now: number): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < WINDOW), now];
    const count = this.#crashes.length;
    if (count >= MAX_CRASHES) return undefined;
    return DELAYS[Math.min(count, DELAYS.length) - 1];
  }

  /** The number of crashes in the last three minutes. */
  count(now: number): number {
    return this.#crashes.filter((at) => now - at < WINDOW).length;
  }

  /** Forgets all crashes, since the user has started the proxy. */
  reset(): void {
    this.#crashes = [];
  }
}
