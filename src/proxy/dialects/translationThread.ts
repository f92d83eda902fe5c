// Translates large requests in another thread, so that the streams of other clients do not pause meanwhile. This is the
// only file that may import `node:worker_threads`: parsing JSON cannot be divided into short steps.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { asDialectError } from './dialectErrors.ts';
import { translate } from './translation.ts';
import type { Translation, TranslationJob } from './translation.ts';

/** Bodies up to this length are translated at once, in bytes. Counting tokens takes longer than translating. */
const SHORT = { reply: 1024 * 1024, count: 128 * 1024 };
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

export class Translator {
  #threads = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * @param job its body may become unusable
   * @param signal ends the translation, which then rejects
   */
  async translate(job: TranslationJob, signal: AbortSignal): Promise<Translation> {
    if (job.body.length <= SHORT[job.purpose]) return translate(job);
    if (this.#threads === MAX_THREADS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#threads++;
    try {
      signal.throwIfAborted();
      return await translateInThread(job, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#threads--;
      else next();
    }
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
  const onAbort = () => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort);
  try {
    worker.postMessage(job, [job.body.buffer as ArrayBuffer]);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    void worker.terminate();
  }
}
