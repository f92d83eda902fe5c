// Shares the event loop among everything that the proxy does while responses arrive faster than they can be read.

/**
 * How much of all responses together is read before everything else has its turn, in bytes: at most 3,000 records. Without
 * this limit, each connection delivers up to two megabytes in one turn.
 */
const READ_PER_TURN = 64 * 1024;

export class ReadingTurns {
  #read = 0;
  #isScheduled = false;
  /** Those that wait for the next turn, in the order in which they began to wait. */
  readonly #waiting: (() => void)[] = [];

  /**
   * Counts bytes that were read. Returns whether their reader has to wait until `resume` is called, in a later turn.
   * @param resume may read at once
   */
  mustWait(bytes: number, resume: () => void): boolean {
    this.#read += bytes;
    if (this.#read < READ_PER_TURN) return false;
    this.#waiting.push(resume);
    this.#schedule();
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#begin);
  }

  readonly #begin = () => {
    this.#isScheduled = false;
    this.#read = 0;
    while (this.#read < READ_PER_TURN) {
      const resume = this.#waiting.shift();
      if (resume === undefined) return;
      resume();
    }
    this.#schedule();
  };
}
