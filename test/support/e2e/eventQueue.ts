import { DEADLINE, withTimeout } from '../withTimeout.ts';

/** A list of events; a test can wait for one that has not happened yet. */
export class EventQueue<T> {
  readonly items: T[] = [];
  readonly #listeners = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const listener of this.#listeners) listener();
  }

  /** Resolves with the first item from index `start` on for which `accepts` is true. */
  async find(label: string, accepts: (item: T) => boolean, start = 0): Promise<T> {
    let stop = (): void => undefined;
    const found = new Promise<T>((resolve) => {
      let seen = start;
      const search = () => {
        while (seen < this.items.length) {
          const item = this.items[seen++] as T;
          if (accepts(item)) {
            resolve(item);
            return;
          }
        }
      };
      stop = () => this.#listeners.delete(search);
      this.#listeners.add(search);
      search();
    });
    try {
      return await withTimeout(label, DEADLINE, found);
    } finally {
      stop();
    }
  }
}
