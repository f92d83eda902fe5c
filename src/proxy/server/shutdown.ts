// The end of the proxy: which requests finish, and which ones are cut off.

/** How many relayed requests ended in which way, from the beginning of the end. */
export interface ShutdownCounts {
  readonly finished: number;
  readonly cutOff: number;
}

export class Shutdown {
  #phase: 'serving' | 'stopping' | 'cuttingOff' = 'serving';
  #counts: ShutdownCounts = { finished: 0, cutOff: 0 };

  /** True as soon as the proxy was asked to stop. */
  get isStopping(): boolean {
    return this.#phase !== 'serving';
  }

  get counts(): ShutdownCounts {
    return this.#counts;
  }

  begin(): void {
    if (this.#phase === 'serving') this.#phase = 'stopping';
  }

  /** From now on, the proxy itself closes the connections of clients. */
  cutOff(): void {
    this.#phase = 'cuttingOff';
  }

  /** Counts a relayed request that is over. Returns how it ended, for the log. */
  ended(end: string): string {
    const isCutOff = this.#phase === 'cuttingOff' && end === 'client-gone';
    const { finished, cutOff } = this.#counts;
    if (isCutOff) this.#counts = { finished, cutOff: cutOff + 1 };
    else if (this.isStopping) this.#counts = { finished: finished + 1, cutOff };
    return isCutOff ? 'shutdown' : end;
  }
}
