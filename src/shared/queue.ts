/** Runs actions one after the other. One that fails does not stop those after it. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `act` does, which begins when all earlier actions are over. */
  run<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all actions until now are over. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
