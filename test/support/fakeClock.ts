import type { Clock } from '../../src/session/transport.ts';
import { flushEventLoop } from './withTimeout.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that moves only when a test says so. */
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

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass, and what it sets off run. */
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

  /** The computer sleeps: the wall clock goes on, the monotonic one stands still. */
  sleep(milliseconds: number): void {
    this.#wall += milliseconds;
  }

  /** The same where both clocks go on: timers are late, and come when time passes again. */
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
