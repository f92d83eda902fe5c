import type { Clock } from '../../src/session/transport.ts';
import { flushEventLoop } from './withTimeout.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that advances only when a test calls it. */
export class FakeClock implements Clock {
  #wall = Date.UTC(2026, 0, 15, 12);
  #monotonic = 1_000_000;
  #timers: Timer[] = [];

  wall(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** The number of pending timers. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Advances the time and runs the timers that are due, with everything they start. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#monotonic + milliseconds;
    await flushEventLoop();
    for (let timer = this.#takeDue(end); timer !== undefined; timer = this.#takeDue(end)) {
      this.#move(Math.max(0, timer.at - this.#monotonic));
      timer.callback();
      await flushEventLoop();
    }
    this.#move(end - this.#monotonic);
  }

  /** The computer sleeps: only the wall clock advances. */
  sleep(milliseconds: number): void {
    this.#wall += milliseconds;
  }

  /** The computer sleeps and both clocks advance: timers are late, and fire with the next `advance`. */
  sleepThrough(milliseconds: number): void {
    this.#move(milliseconds);
  }

  #move(milliseconds: number): void {
    this.#wall += milliseconds;
    this.#monotonic += milliseconds;
  }

  #takeDue(end: number): Timer | undefined {
    const [next] = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter((timer) => timer !== next);
    return next;
  }
}
