/** The time spent in one state of the supervisor: what is started in a state ends with it. */
export class Phase {
  readonly #left = Promise.withResolvers<undefined>();
  /** Resolves when the state is left. */
  readonly left = this.#left.promise;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @throws Error if the state has been left: its work must not go on. To be called after each `await`, and at once. */
  check(): void {
    if (this.#isOver) throw new Error('The state has been left');
  }

  /** Calls `act` after `delay` milliseconds, in place of any earlier call that is still due. */
  after(delay: number, act: () => unknown): void {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#timer = setTimeout(act, delay);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#left.resolve(undefined);
  }
}
