// The measurements. Each sends requests to one target and returns its figures by name.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Target, Watched } from './target.ts';

/** A way to ask for a chat response. */
export interface Api {
  readonly path: string;
  /** The JSON body with these user messages. */
  readonly body: (prompts: readonly string[], stream: boolean) => string;
}

const model = 'glm-5-2';
const toMessages = (prompts: readonly string[]) => prompts.map((content) => ({ role: 'user', content }));

export const CHAT: Api = {
  path: '/v1/chat/completions',
  body: (prompts, stream) => JSON.stringify({ model, messages: toMessages(prompts), stream }),
};
export const MESSAGES: Api = {
  path: '/anthropic/v1/messages',
  body: (prompts, stream) => JSON.stringify({ model, messages: toMessages(prompts), max_tokens: 4096, stream }),
};
export const RESPONSES: Api = {
  path: '/responses/v1/responses',
  body: (prompts, stream) => JSON.stringify({ model, input: toMessages(prompts), stream }),
};

export interface Measured {
  readonly url: string;
  readonly api: Api;
  /** Undefined for the backend itself. */
  readonly process: Target | undefined;
}

export type Figures = Readonly<Record<string, number | undefined>>;

const PROMPT = 'word '.repeat(40);
/** A conversation of 8 MiB. */
const LARGE = Array.from({ length: 4096 }, () => 'word '.repeat(410));
const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer dev-bench' };
const REQUESTS = 1500;
const SEQUENTIAL = 800;
const BURST_EVENTS = 16_000;
const PACED_EVENTS = 500;
const UPLOAD = Buffer.alloc(52_428_800, 'a');

function connect({ url }: Measured): Pool {
  return new Pool(url, { connections: 16, headersTimeout: 0, bodyTimeout: 0 });
}

function post(path: string, body: string | Buffer): Dispatcher.RequestOptions {
  return { path, method: 'POST', headers: HEADERS, body };
}

async function sendRequest(pool: Pool, path: string, body: string | Buffer): Promise<number> {
  const { statusCode, body: response } = await pool.request(post(path, body));
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
  if (statusCode !== 200) throw new Error(`Status ${statusCode}`);
  return length;
}

function chat(pool: Pool, { api }: Measured): Promise<number> {
  return sendRequest(pool, api.path, api.body([PROMPT], false));
}

async function cpuOf({ process }: Measured, work: () => Promise<unknown>): Promise<number | undefined> {
  const before = await process?.cpu();
  await work();
  const after = await process?.cpu();
  return before === undefined || after === undefined ? undefined : after - before;
}

/** Small requests over 16 connections: requests per second, and CPU microseconds of the relay per request. */
export async function measureRequests(target: Measured): Promise<Figures> {
  const pool = connect(target);
  const begin = performance.now();
  const cpu = await cpuOf(target, () =>
    Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let sent = 0; sent < REQUESTS / 16; sent++) await chat(pool, target);
      }),
    ),
  );
  const seconds = (performance.now() - begin) / 1000;
  await pool.close();
  return { 'requests/s, 16 connections': REQUESTS / seconds, 'CPU us/request, 16 connections': per(cpu, REQUESTS) };
}

/** Small requests one after another: median and 99th percentile of the latency in milliseconds. */
export async function measureLatency(target: Measured): Promise<Figures> {
  const pool = connect(target);
  const times: number[] = [];
  const cpu = await cpuOf(target, async () => {
    for (let sent = 0; sent < SEQUENTIAL; sent++) {
      const begin = performance.now();
      await chat(pool, target);
      times.push(performance.now() - begin);
    }
  });
  await pool.close();
  times.sort((a, b) => a - b);
  return {
    'median ms, 1 connection': times[SEQUENTIAL / 2],
    'p99 ms, 1 connection': times[Math.floor(SEQUENTIAL * 0.99)],
    'CPU us/request, 1 connection': per(cpu, SEQUENTIAL),
  };
}

/**
 * Streams with events of about 200 bytes. `burst`: as fast as they are read, so that one read of the relay returns many.
 * `paced`: one per millisecond on each stream, so that each arrives separately, like the tokens of a model.
 */
export async function measureStream(target: Measured, streams: number, pace: 'burst' | 'paced'): Promise<Figures> {
  const pool = connect(target);
  const events = pace === 'paced' ? PACED_EVENTS : BURST_EVENTS / streams;
  const { path } = target.api;
  const prompt = target.api.body([`events=${events}${pace === 'paced' ? ' paced' : ''} ${PROMPT}`], true);
  const begin = performance.now();
  const cpu = await cpuOf(target, () =>
    Promise.all(Array.from({ length: streams }, () => sendRequest(pool, path, prompt))),
  );
  const seconds = (performance.now() - begin) / 1000;
  const firstByte = streams === 1 && pace === 'paced' ? await timeToFirstByte(pool, target.api) : undefined;
  await pool.close();
  const name = `${streams} stream${streams > 1 ? 's' : ''}, ${pace}`;
  return {
    [`records/s, ${name}`]: (events * streams) / seconds,
    [`CPU us/record, ${name}`]: per(cpu, events * streams),
    ...(firstByte === undefined ? {} : { 'time to first byte ms': firstByte }),
  };
}

async function timeToFirstByte(pool: Pool, api: Api): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 50; round++) {
    const begin = performance.now();
    const { body } = await pool.request(post(api.path, api.body([`events=2 paced ${PROMPT}`], true)));
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (chunk.length > 0 && times.length === round) times.push(performance.now() - begin);
    }
  }
  return median(times);
}

/** One conversation of 8 MiB: its effect on the memory and the event loop of the relay. */
export async function measureConversation(target: Measured): Promise<Figures> {
  const pool = connect(target);
  await chat(pool, target); // a session, and the list of models
  const idle = await target.process?.memory();
  await target.process?.watch();
  const begin = performance.now();
  await sendRequest(pool, target.api.path, target.api.body(LARGE, false));
  const ms = performance.now() - begin;
  const watched = await target.process?.watched();
  await pool.close();
  return {
    '8 MiB conversation ms': ms,
    'conversation: peak MiB above idle': mebibytesAbove(idle, watched),
    'conversation: longest pause ms': watched?.pause,
  };
}

function mebibytesAbove(idle: number | undefined, watched: Watched | undefined): number | undefined {
  return idle === undefined || watched === undefined ? undefined : (watched.peak - idle) / 1024 / 1024;
}

/** One body of 50 MiB: its duration, and its effect on the memory and the event loop of the relay. */
export async function measureUpload(target: Measured): Promise<Figures> {
  const pool = connect(target);
  const idle = await target.process?.memory();
  await target.process?.watch();
  const begin = performance.now();
  await sendRequest(pool, '/v1/embeddings', UPLOAD);
  const ms = performance.now() - begin;
  const watched = await target.process?.watched();
  await pool.close();
  return {
    '50 MiB upload ms': ms,
    'upload: peak MiB above idle': mebibytesAbove(idle, watched),
    'upload: longest pause ms': watched?.pause,
    'idle MiB': idle === undefined ? undefined : idle / 1024 / 1024,
    'start to listening ms': target.process?.startMs,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function per(total: number | undefined, count: number): number | undefined {
  return total === undefined ? undefined : total / count;
}
