// The measurements. Each sends requests to one target and returns its figures by name.
import type { Pool } from 'undici';
import { LARGE, PROMPT, chat, connect, post, sendRequest } from '../client.ts';
import type { Api, Measured } from '../client.ts';
import type { Watched } from '../processes/target.ts';
import type { Entrance } from './columns.ts';
import { median } from './figures.ts';
import type { Figures } from './figures.ts';

const REQUESTS = 1500;
const SEQUENTIAL = 800;
const BURST_EVENTS = 16_000;
const PACED_EVENTS = 500;
const UPLOAD = Buffer.alloc(52_428_800, 'a');
const STARTS = 3;

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
  const pool = connect(target, streams);
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
  const { idle, ms, watched } = await sendWatched(target, pool, target.api.path, target.api.body(LARGE, false));
  return {
    '8 MiB conversation ms': ms,
    'conversation: peak MiB above idle': mebibytesAbove(idle, watched),
    'conversation: longest pause ms': watched?.pause,
  };
}

/** Sends one request, the last one of the pool. Memory in bytes, durations in milliseconds. */
async function sendWatched({ process }: Measured, pool: Pool, path: string, body: string | Buffer) {
  const idle = await process?.memory();
  await process?.watch();
  const begin = performance.now();
  await sendRequest(pool, path, body);
  const ms = performance.now() - begin;
  const watched = await process?.watched();
  await pool.close();
  return { idle, ms, watched };
}

function mebibytesAbove(idle: number | undefined, watched: Watched | undefined): number | undefined {
  return idle === undefined || watched === undefined ? undefined : (watched.peak - idle) / 1024 / 1024;
}

/** One body of 50 MiB: its duration, and its effect on the memory and the event loop of the relay. */
export async function measureUpload(target: Measured): Promise<Figures> {
  const pool = connect(target);
  const { idle, ms, watched } = await sendWatched(target, pool, '/v1/embeddings', UPLOAD);
  return {
    '50 MiB upload ms': ms,
    'upload: peak MiB above idle': mebibytesAbove(idle, watched),
    'upload: longest pause ms': watched?.pause,
    'idle MiB': idle === undefined ? undefined : idle / 1024 / 1024,
  };
}

/** Several processes, each of them new: until it listens, and from its first request to the complete response. */
export async function measureStart({ api, start }: Entrance): Promise<Figures> {
  const listening: number[] = [];
  const first: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    const process = await start({ probed: false });
    if (process === undefined) return {};
    const target = { url: process.url, api, process };
    const pool = connect(target);
    const begin = performance.now();
    await chat(pool, target);
    first.push(performance.now() - begin);
    listening.push(process.startMs);
    await pool.close();
    await process.stop();
  }
  return { 'start to listening ms': median(listening), 'first request after the start ms': median(first) };
}

function per(total: number | undefined, count: number): number | undefined {
  return total === undefined ? undefined : total / count;
}
