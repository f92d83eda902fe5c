const DELAYS = [1000, 2000, 4000, 8000] as const;
const WINDOW = 3 * 60_000;

/** Decides when a crashed proxy is restarted. Times in milliseconds, from any single clock. */
export class RestartPolicy {
  #crashes: number[] = [];

  /** Counts a crash at `now`. Returns the delay before a restart, or undefined after the fifth crash in three minutes. */
  crashed(now: number): number | undefined {
    this.#crashes.push(now);
    return DELAYS[this.count(now) - 1];
  }

  /** The number of crashes in the last three minutes. */
  count(now: number): number {
    this.#crashes = this.#crashes.filter((at) => now - at < WINDOW);
    return this.#crashes.length;
  }

  /** Forgets all crashes, since the user has started the proxy. */
  reset(): void {
    this.#crashes = [];
  }
}
