// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/** How an answer came to its end. `failed`: this side broke it off. */
export type Ending = 'complete' | 'client-cancelled' | 'failed';

/** Watches over one answer: whether somebody still waits for it, and how it ended. */
export class ClientWatch {
  /** Settles when the answer is over. */
  readonly ended: Promise<Ending>;
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;
  #failed = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.ended = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) this.#controller?.abort();
        resolve(this.#failed ? 'failed' : response.writableFinished ? 'complete' : 'client-cancelled');
      });
    });
  }

  /** Aborted as soon as nobody waits any more. Made when it is asked for: most answers are over before. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#response.closed && !this.#response.writableFinished) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Resolves when the socket has room again, rejects when nobody waits any more. */
  async drained(): Promise<void> {
    const { signal } = this;
    signal.throwIfAborted();
    if (this.#response.writableNeedDrain) await once(this.#response, 'drain', { signal });
    // The socket is gone and the news is still under way: without a pause here, it would never come.
    else await setImmediate(undefined, { signal });
  }

  /** This side breaks the answer off, whatever still reaches the client. */
  markFailed(): void {
    this.#failed = true;
  }

  /** Ends the connection without an end of the answer. What was written before leaves first. */
  cut(how: 'reset' | 'close'): void {
    this.#failed = true;
    void setImmediate().then(() => {
      if (how === 'reset') this.#response.socket?.resetAndDestroy();
      else this.#response.destroy();
    });
  }
}
