// Clients that send one request after the other, and check that each response is complete.
import type { Pool } from 'undici';
import { CHAT, connect } from '../client.ts';

export interface Failure {
  /** When the request was sent and when it failed, as `performance.now()`. */
  readonly began: number;
  readonly ended: number;
  readonly reason: string;
}

export interface Counts {
  completed: number;
  readonly failures: Failure[];
}

/** The chunks of a stream, with the development enclave's pause of 15 ms before each one. */
const CHUNKS = 100;
const STREAM = CHAT.body([`/repeat ${CHUNKS} word`], true);
const REQUEST = CHAT.body(['word '.repeat(40)], false);
const TEXT = Array.from({ length: CHUNKS }, () => 'word').join(' ');

export class Clients {
  readonly requests: Counts = { completed: 0, failures: [] };
  readonly streams: Counts = { completed: 0, failures: [] };
  readonly #pools: readonly Pool[];
  readonly #running: Promise<unknown>[] = [];
  #key: string;
  #ending = false;

  /** @param urls of the replicas, which take turns, or of the balancer */
  constructor(urls: readonly string[], key: string) {
    this.#pools = urls.map((url) => connect({ url }, 64));
    this.#key = key;
  }

  /** Lets all requests from now on use another access key. */
  use(key: string): void {
    this.#key = key;
  }

  start(requests: number, streams: number): void {
    for (let index = 0; index < requests; index++) {
      this.#running.push(this.#repeat(this.requests, index, REQUEST, checkAnswer));
    }
    for (let index = 0; index < streams; index++) {
      this.#running.push(this.#repeat(this.streams, index, STREAM, checkStream));
    }
  }

  /** Resolves when the requests that are running have ended. */
  async finish(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#running);
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }

  get failures(): readonly Failure[] {
    return [...this.requests.failures, ...this.streams.failures];
  }

  async #repeat(counts: Counts, index: number, body: string, check: (text: string) => boolean): Promise<void> {
    for (let turn = index; !this.#ending; turn++) {
      const began = performance.now();
      const reason = await this.#send(turn, body, check);
      if (reason === undefined) counts.completed++;
      else counts.failures.push({ began, ended: performance.now(), reason });
    }
  }

  /** @returns why it failed */
  async #send(turn: number, body: string, check: (text: string) => boolean): Promise<string | undefined> {
    const pool = this.#pools[turn % this.#pools.length];
    if (pool === undefined) throw new Error('No address');
    try {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#key}` };
      const response = await pool.request({ path: CHAT.path, method: 'POST', headers, body });
      const text = await response.body.text();
      if (response.statusCode !== 200) return `status ${response.statusCode}`;
      return check(text) ? undefined : 'incomplete';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  }
}

function checkAnswer(text: string): boolean {
  return text.endsWith('}') && 'choices' in (JSON.parse(text) as object);
}

/** True for all words, and the end. */
function checkStream(text: string): boolean {
  const events = text.split('\n\n').filter((event) => event !== '');
  if (events.pop() !== 'data: [DONE]') return false;
  interface Chunk {
    readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
  }
  const words = events.map((event) => (JSON.parse(event.slice('data: '.length)) as Chunk).choices[0]?.delta?.content);
  return words.join('').trim() === TEXT;
}
