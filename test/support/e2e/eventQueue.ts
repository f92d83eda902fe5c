import { DEADLINE, withTimeout } from '../withTimeout.ts';

/** A list that only grows, and those who wait for an item of it. */
export class EventQueue<T> {
  readonly items: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const wake of this.#waiting) wake();
  }

  /** The first item that `accepts` takes, from `start` on: one that is there, or that comes in time. */
  async find(label: string, accepts: (item: T) => boolean, start = 0, deadline = DEADLINE): Promise<T> {
    let stop = (): void => undefined;
    const found = new Promise<T>((resolve) => {
      let seen = start;
      const look = () => {
        while (seen < this.items.length) {
          const item = this.items[seen++] as T;
          if (accepts(item)) {
            resolve(item);
            return;
          }
        }
      };
      stop = () => this.#waiting.delete(look);
      this.#waiting.add(look);
      look();
    });
    try {
      return await withTimeout(label, deadline, found);
    } finally {
      stop();
    }
  }
}
