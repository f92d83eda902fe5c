// Translates large requests in another thread, so that the streams of other clients do not pause meanwhile. This is the
// only file that may import `node:worker_threads`: parsing JSON cannot be divided into short steps.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { DialectError } from '../../dialects/dialectError.ts';
import { countValues } from '../../dialects/jsonValues.ts';
import { MIB, limitTranslation } from '../process/memory.ts';
import { asDialectError } from './dialectErrors.ts';
import { translate } from './translation.ts';
import type { Translation, TranslationJob } from './translation.ts';
import { untilAborted } from './untilAborted.ts';

/** Bodies up to this length are translated at once, in bytes. Counting tokens takes longer than translating. */
const SHORT = { reply: 512 * 1024, count: 64 * 1024 };
/** Values that a body may have to be translated at once: many small ones take longer than few long ones. */
const FEW_VALUES = 10_000;
/** Threads at once; other requests wait. */
const MAX_THREADS = 2;
/** What the code takes in a thread, in MiB. */
const BUNDLE_MEMORY = 32;
const TOO_COMPLEX = new DialectError('Translating this request takes too much time or memory. Send a shorter one.', {
  status: 413,
});

/** Serves the one translation that a thread was started for. Returns false in any other thread. */
export function serveTranslation(): boolean {
  if (isMainThread || workerData !== 'translation') return false;
  parentPort?.once('message', (job: TranslationJob) => {
    const translation = translate(job);
    parentPort?.postMessage(translation, translation.kind === 'chat' ? [translation.body.buffer as ArrayBuffer] : []);
  });
  return true;
}

function isShort({ body }: Pick<TranslationJob, 'body'>): boolean {
  return body.length <= FEW_VALUES || countValues(body) <= FEW_VALUES;
}

interface Waiting {
  readonly caller: string;
  /** Memory that the translation takes, in bytes. */
  readonly memory: number;
  readonly start: () => void;
}

export interface TranslatorOptions {
  /** What a thread runs: a file that calls `serveTranslation`. */
  readonly threadFile: string;
  /** Of all threads together, in bytes. */
  readonly memory: number;
  /** Of one translation, in milliseconds; for tests only. */
  readonly timeLimit?: number;
}

/** In milliseconds: the largest requests take a few seconds. */
const TIME_LIMIT = 60_000;

export class Translator {
  readonly #threadFile: string;
  readonly #memory: number;
  readonly #timeLimit: number;
  /** The callers of the requests that are in threads, with the memory that these take. */
  readonly #running = new Map<string, number>();
  #waiting: readonly Waiting[] = [];
  #lastTurn = Promise.resolve();

  constructor({ threadFile, memory, timeLimit = TIME_LIMIT }: TranslatorOptions) {
    this.#threadFile = threadFile;
    this.#memory = memory;
    this.#timeLimit = timeLimit;
  }

  /** Threads at work. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * @param job its body may become unusable
   * @param caller has one thread at a time, so that its requests do not delay those of others
   * @param signal ends the translation, which then rejects
   */
  async translate(job: Omit<TranslationJob, 'maxValues'>, caller: string, signal: AbortSignal): Promise<Translation> {
    const { memory, values: maxValues } = limitTranslation(job.body.length, this.#memory);
    if (job.body.length <= SHORT[job.purpose]) {
      await this.#nextTurn();
      signal.throwIfAborted();
      if (isShort(job)) return translate({ ...job, maxValues });
    }
    await this.#turn(caller, memory, signal);
    try {
      signal.throwIfAborted();
      const limits = { threadFile: this.#threadFile, memory, timeLimit: this.#timeLimit };
      return await translateInThread({ ...job, maxValues }, limits, signal);
    } finally {
      this.#release(caller);
    }
  }

  /** One request in each turn of the event loop, so that many that arrive together do not delay everything else. */
  #nextTurn(): Promise<void> {
    return (this.#lastTurn = this.#lastTurn.then(() => new Promise((resolve) => setImmediate(resolve))));
  }

  async #turn(caller: string, memory: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const own: Waiting = {
      caller,
      memory,
      start: () => {
        resolve(undefined);
      },
    };
    this.#waiting = [...this.#waiting, own];
    this.#startNext();
    try {
      await untilAborted(promise, signal);
    } catch (error) {
      if (this.#waiting.includes(own)) this.#waiting = this.#waiting.filter((other) => other !== own);
      else this.#release(caller); // it was cancelled just as it was to begin
      throw error;
    }
  }

  #release(caller: string): void {
    this.#running.delete(caller);
    this.#startNext(caller);
  }

  /**
   * Starts the requests for which there are threads and memory, in the order in which they came.
   * @param last the caller whose request has ended: the next one is another caller's if possible
   */
  #startNext(last?: string): void {
    while (this.#running.size < MAX_THREADS) {
      const ready = this.#waiting.filter(({ caller }) => !this.#running.has(caller));
      const next = ready.find(({ caller }) => caller !== last) ?? ready[0];
      const used = [...this.#running.values()].reduce((sum, memory) => sum + memory, 0);
      if (next === undefined || (used > 0 && used + next.memory > this.#memory)) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#running.set(next.caller, next.memory);
      next.start();
    }
  }
}

async function translateInThread(
  job: TranslationJob,
  { threadFile, memory, timeLimit }: Required<TranslatorOptions>,
  signal: AbortSignal,
): Promise<Translation> {
  const { promise, resolve, reject } = Promise.withResolvers<Translation>();
  promise.catch(() => undefined); // nobody waits for it any more if the translation was cancelled, or never began
  const worker = new Worker(threadFile, {
    workerData: 'translation',
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memory / MIB) + BUNDLE_MEMORY },
  });
  worker.unref();
  worker.once('message', resolve);
  worker.once('error', (error: NodeJS.ErrnoException) => {
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_COMPLEX : asDialectError(error));
  });
  worker.once('exit', () => {
    reject(asDialectError(undefined)); // without an effect after a message
  });
  const timer = setTimeout(() => {
    reject(TOO_COMPLEX);
  }, timeLimit);
  try {
    const body = ownMemory(job.body);
    worker.postMessage({ ...job, body }, [body.buffer]);
    return await untilAborted(promise, signal);
  } finally {
    clearTimeout(timer);
    // Until then it keeps its memory: JSON is parsed to its end.
    await worker.terminate();
  }
}

/** The bytes with memory of their own, which a thread can take: Node keeps short buffers together. */
function ownMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
