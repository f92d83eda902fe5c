// Translates large requests in another thread, so that the streams of other clients do not pause meanwhile. This is the
// only file that may import `node:worker_threads`: parsing JSON cannot be divided into short steps.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { asDialectError } from './dialectErrors.ts';
import { translate } from './translation.ts';
import type { Translation, TranslationJob } from './translation.ts';
import { untilAborted } from './untilAborted.ts';

/** Bodies up to this length are translated at once, in bytes. Counting tokens takes longer than translating. */
const SHORT = { reply: 512 * 1024, count: 128 * 1024 };
/** Threads at once; other requests wait. */
const MAX_THREADS = 2;

/** True in a thread for a translation, which this file then serves. */
export const isTranslationThread = !isMainThread && workerData === 'translation';

if (isTranslationThread) {
  parentPort?.once('message', (job: TranslationJob) => {
    const translation = translate(job);
    parentPort?.postMessage(translation, translation.kind === 'chat' ? [translation.body.buffer as ArrayBuffer] : []);
  });
}

interface Waiting {
  readonly caller: string;
  readonly start: () => void;
}

export class Translator {
  /** The callers of the requests that are in threads. */
  readonly #running = new Set<string>();
  #waiting: Waiting[] = [];

  /**
   * @param job its body may become unusable
   * @param caller has one thread at a time, so that its requests do not delay those of others
   * @param signal ends the translation, which then rejects
   */
  async translate(job: TranslationJob, caller: string, signal: AbortSignal): Promise<Translation> {
    if (job.body.length <= SHORT[job.purpose]) return translate(job);
    await this.#turn(caller, signal);
    try {
      signal.throwIfAborted();
      return await translateInThread(job, signal);
    } finally {
      this.#release(caller);
    }
  }

  async #turn(caller: string, signal: AbortSignal): Promise<void> {
    if (this.#running.size < MAX_THREADS && !this.#running.has(caller)) {
      this.#running.add(caller);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const own: Waiting = {
      caller,
      start: () => {
        resolve(undefined);
      },
    };
    this.#waiting.push(own);
    try {
      await untilAborted(promise, signal);
    } catch (error) {
      if (this.#waiting.includes(own)) this.#waiting = this.#waiting.filter((other) => other !== own);
      else this.#release(caller); // it was cancelled just as it was to begin
      throw error;
    }
  }

  /** Starts the next request: if possible, one of another caller. */
  #release(caller: string): void {
    this.#running.delete(caller);
    const next =
      this.#waiting.find((other) => other.caller !== caller && !this.#running.has(other.caller)) ??
      this.#waiting.find((other) => other.caller === caller);
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#running.add(next.caller);
    next.start();
  }
}

async function translateInThread(job: TranslationJob, signal: AbortSignal): Promise<Translation> {
  const { promise, resolve, reject } = Promise.withResolvers<Translation>();
  const worker = new Worker(import.meta.filename, { workerData: 'translation' });
  worker.unref();
  worker.once('message', resolve);
  worker.once('error', (error) => {
    reject(asDialectError(error));
  });
  worker.once('exit', () => {
    reject(asDialectError(undefined)); // without an effect after a message
  });
  try {
    worker.postMessage(job, [job.body.buffer as ArrayBuffer]);
    return await untilAborted(promise, signal);
  } finally {
    void worker.terminate();
  }
}
