// The clients of one proxy of the soak. Each knows what became of each of its requests.
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { DEADLINE } from '../../test/support/withTimeout.ts';
import { KINDS, describe, judge, newWord, setReference } from './requests.ts';
import type { Kind, Outcome, Received } from './requests.ts';

/** `cancelled`: by the client. `unreachable`: no connection, so nothing was sent. `hangs`: there was no end. */
export type Fate = Outcome | 'cancelled' | 'unreachable' | 'hangs';

export interface Ended {
  readonly proxy: string;
  readonly kind: string;
  /** As `performance.now()`. */
  readonly began: number;
  readonly ended: number;
  readonly fate: Fate;
  /** For what is neither complete nor cancelled. */
  readonly details: string;
}

export class Clients {
  readonly #proxy: string;
  readonly #pool: Pool;
  readonly #onEnd: (ended: Ended) => void;
  readonly #running: Promise<void>[] = [];
  /** The access key of all requests from now on. */
  key: string;
  #isEnding = false;

  constructor(proxy: string, url: string, key: string, onEnd: (ended: Ended) => void) {
    this.#proxy = proxy;
    // A connection that the proxy has closed while it was idle must not look like a lost request.
    this.#pool = new Pool(url, { connections: 64, headersTimeout: 0, bodyTimeout: 0, pipelining: 0 });
    this.key = key;
    this.#onEnd = onEnd;
  }

  /** Sends one request of each kind, whose responses are the references. */
  async learn(): Promise<void> {
    for (const kind of KINDS.filter(({ patience }) => patience === undefined)) {
      const word = newWord();
      setReference(kind, word, await this.#send(kind, word, AbortSignal.timeout(DEADLINE)));
    }
  }

  start(): void {
    for (const kind of KINDS) {
      for (let client = 0; client < kind.clients; client++) this.#running.push(this.#repeat(kind));
    }
  }

  /** Resolves when the requests that are running have ended, and the connections are closed. */
  async finish(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#running);
    await this.#pool.close();
  }

  async #repeat(kind: Kind): Promise<void> {
    while (!this.#isEnding) {
      const began = performance.now();
      const [fate, details] = await this.#request(kind);
      this.#onEnd({ proxy: this.#proxy, kind: kind.name, began, ended: performance.now(), fate, details });
      await setTimeout(fate === 'unreachable' ? 500 : kind.pause);
    }
  }

  async #request(kind: Kind): Promise<readonly [Fate, string]> {
    const { patience } = kind;
    const cancel = AbortSignal.timeout(patience === undefined ? DEADLINE : Math.ceil(Math.random() * patience));
    const word = newWord();
    try {
      const received = await this.#send(kind, word, cancel);
      if (cancel.aborted) return patience === undefined ? ['hangs', describe(received)] : ['cancelled', ''];
      const fate = await judge(kind, word, received);
      return [fate, fate === 'complete' ? '' : describe(received)];
    } catch (error) {
      if (cancel.aborted) return patience === undefined ? ['hangs', String(error)] : ['cancelled', ''];
      const { code, syscall, message } = error as NodeJS.ErrnoException;
      const isUnreachable = syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT';
      return [isUnreachable ? 'unreachable' : 'broken', `${code ?? ''} ${message}`];
    }
  }

  /** Rejects if no response has begun. */
  async #send({ method, path, body }: Kind, word: string, signal: AbortSignal): Promise<Received> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.key}` };
    const options = { method, path, headers, body: body(word) ?? null, signal, reset: true };
    const { statusCode: status, body: stream } = await this.#pool.request(options);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      return { status, body: Buffer.concat(chunks), isComplete: true };
    } catch {
      return { status, body: Buffer.concat(chunks), isComplete: false };
    }
  }
}
