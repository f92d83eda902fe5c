import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/** How a response ended. `failed`: the enclave aborted it. */
export type Ending = 'complete' | 'client-cancelled' | 'failed';

/** Tracks whether the client still waits for a response, and how the response ended. */
export class ResponseTracker {
  /** Resolves when the response has ended. */
  readonly ended: Promise<Ending>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly #response: ServerResponse;
  #failed = false;

  constructor(response: ServerResponse) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#response = response;
    this.ended = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort();
        resolve(this.#failed ? 'failed' : response.writableFinished ? 'complete' : 'client-cancelled');
      });
    });
  }

  /** Resolves when the socket accepts data again. Rejects when the client disconnects. */
  async drained(): Promise<void> {
    const { signal } = this;
    signal.throwIfAborted();
    if (this.#response.writableNeedDrain) await once(this.#response, 'drain', { signal });
    // If the socket has just closed, its 'close' event arrives in the next turn of the event loop.
    else await setImmediate(undefined, { signal });
  }

  /** Reports the response as failed, even if the client receives all of it. */
  markFailed(): void {
    this.#failed = true;
  }

  /** Breaks the connection before the end of the response, after everything written so far has been sent. */
  disconnect(how: 'reset' | 'close'): void {
    this.#failed = true;
    void setImmediate().then(() => {
      if (how === 'reset') this.#response.socket?.resetAndDestroy();
      else this.#response.destroy();
    });
  }
}
