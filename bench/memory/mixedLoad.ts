// What clients do to a proxy in a day, in minutes: streams, uploads, failures, and requests that are cancelled.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'undici';
import { CHAT, MESSAGES, RESPONSES, connect, sendRequest } from '../client.ts';
import type { Api } from '../client.ts';

export interface Outcomes {
  completed: number;
  failed: number;
  cancelled: number;
}

/** One kind of client, again and again. */
interface Behaviour {
  readonly clients: number;
  /** The pause after each request, in milliseconds. */
  readonly pause: number;
  readonly path: string;
  readonly body: () => string | Buffer;
  /** Cancel each request after at most this time, in milliseconds. */
  readonly patience?: number;
}

const MIB = 1024 * 1024;

const BEHAVIOURS: readonly Behaviour[] = [
  { clients: 16, pause: 50, ...streaming(CHAT, '/repeat 400') },
  { clients: 4, pause: 50, ...streaming(MESSAGES, '/repeat 400') },
  { clients: 4, pause: 50, ...streaming(RESPONSES, '/repeat 400') },
  { clients: 2, pause: 500, ...streaming(CHAT, '/burst 5000') },
  { clients: 1, pause: 2000, ...uploading(50 * MIB) },
  { clients: 1, pause: 500, ...uploading(4 * MIB) },
  { clients: 1, pause: 100, ...streaming(CHAT, '/fail 20') },
  { clients: 1, pause: 100, ...streaming(CHAT, '/broken 20') },
  { clients: 1, pause: 100, ...streaming(CHAT, '/status 503') },
  { clients: 4, pause: 50, ...streaming(CHAT, '/repeat 4000'), patience: 1000 },
  { clients: 2, pause: 50, ...streaming(CHAT, '/hang'), patience: 500 },
  { clients: 1, pause: 500, ...uploading(20 * MIB), patience: 30 },
];

/** Sends requests until the signal is aborted, and waits for the last ones. */
export async function sendMixedLoad(url: string, signal: AbortSignal): Promise<Outcomes> {
  const clients = BEHAVIOURS.flatMap((behaviour) => Array<Behaviour>(behaviour.clients).fill(behaviour));
  const pool = connect({ url }, clients.length);
  const outcomes: Outcomes = { completed: 0, failed: 0, cancelled: 0 };
  await Promise.all(clients.map((behaviour) => repeat(pool, behaviour, signal, outcomes)));
  await pool.destroy();
  return outcomes;
}

async function repeat(pool: Pool, behaviour: Behaviour, signal: AbortSignal, outcomes: Outcomes): Promise<void> {
  while (!signal.aborted) {
    outcomes[await send(pool, behaviour)]++;
    await setTimeout(behaviour.pause);
  }
}

async function send(pool: Pool, { path, body, patience }: Behaviour): Promise<keyof Outcomes> {
  const cancel = patience === undefined ? undefined : AbortSignal.timeout(Math.ceil(Math.random() * patience));
  try {
    await sendRequest(pool, path, body(), cancel);
    return 'completed';
  } catch {
    return cancel?.aborted === true ? 'cancelled' : 'failed';
  }
}

function streaming({ path, body }: Api, prompt: string): Pick<Behaviour, 'path' | 'body'> {
  return { path, body: () => body([prompt], true) };
}

function uploading(length: number): Pick<Behaviour, 'path' | 'body'> {
  const bytes = Buffer.from(JSON.stringify({ input: 'a'.repeat(length - 100) }));
  return { path: '/v1/embeddings', body: () => bytes };
}
