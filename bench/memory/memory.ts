// npm run bench -- --memory MINUTES: the resident memory of the sealed proxy before, during and after a mixed load.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { startEnclave } from '../../src/devEnclave/server.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { CHAT, chat, connect } from '../client.ts';
import { startSealed } from '../processes/sealed.ts';
import type { NodeTarget } from '../processes/target.ts';
import { memoryChart } from './memoryChart.ts';
import type { MemoryRun } from './memoryChart.ts';
import { sendMixedLoad } from './mixedLoad.ts';

const MIB = 1024 * 1024;
/** In seconds. */
const BEFORE = 10;
const AFTER = 120;
/** When the memory after the load is judged, in seconds after its end. */
const JUDGED = 60;

/** In MiB. */
const MOST_UNDER_LOAD = 160;
const MOST_ABOVE_IDLE = 30;

/** What the enclave does wrong, one after the other. The fifth request from then on meets it. */
const FAULTS = ['tampered-record', 'truncated-frame', 'reset-mid-response', 'marked-session-not-found', 'outer-503'];
const FAULT_INTERVAL = 2000;

interface MemoryOptions {
  readonly minutes: number;
  /** The path of the Node that runs the proxy. */
  readonly node: string;
  /** The file for the SVG. */
  readonly chart: string | undefined;
}

/** Prints what it has found. Returns false if a goal is missed. */
export async function recordMemory({ minutes, node, chart }: MemoryOptions): Promise<boolean> {
  const enclave = await startEnclave({ handler: createModel({ paceMs: 5 }), journal: false });
  const target = await startSealed(enclave.url, { node });
  await sendOne(target);
  const recorder = new Recorder(target);
  await setTimeout(BEFORE * 1000);

  const from = recorder.seconds;
  const signal = AbortSignal.timeout(Math.ceil(minutes * 60_000));
  const [outcomes] = await Promise.all([sendMixedLoad(target.url, signal), injectFaults(enclave, signal)]);
  const to = recorder.seconds;
  enclave.setFaults('');
  await setTimeout(AFTER * 1000);
  const samples = await recorder.stop();
  await target.stop();
  await enclave.close();

  const { completed, failed, cancelled } = outcomes;
  console.log(`${completed} requests completed, ${failed} failed, ${cancelled} were cancelled.\n`);
  const run: MemoryRun = { samples, from, to, most: MOST_UNDER_LOAD };
  const file = resolve(chart ?? fileURLToPath(new URL('../../.cache/memory.svg', import.meta.url)));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, memoryChart(run));
  const areReached = printMemory(run);
  console.log(`\nThe chart: ${file}`);
  return areReached;
}

async function sendOne(target: NodeTarget): Promise<void> {
  const pool = connect(target);
  await chat(pool, { url: target.url, api: CHAT, process: target });
  await pool.close();
}

async function injectFaults(enclave: RunningEnclave, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    enclave.setFaults(`${FAULTS[count % FAULTS.length] ?? ''}:5`);
    if (count % 10 === 9) enclave.dropSessions();
    await setTimeout(FAULT_INTERVAL);
  }
}

function printMemory({ samples, from, to }: MemoryRun): boolean {
  const idle = samples[from - 1] ?? Number.NaN;
  const peak = Math.max(...samples.slice(from, to));
  const after = samples[to + JUDGED] ?? Number.NaN;
  console.log(`idle before          ${idle.toFixed(1)} MiB`);
  console.log(`peak under load      ${peak.toFixed(1)} MiB`);
  console.log(`one minute after it  ${after.toFixed(1)} MiB`);
  console.log(`two minutes after it ${(samples.at(-1) ?? Number.NaN).toFixed(1)} MiB\n`);
  const goals = [
    { text: `peak under load: below ${MOST_UNDER_LOAD} MiB`, isReached: peak < MOST_UNDER_LOAD },
    {
      text: `one minute after it: within ${MOST_ABOVE_IDLE} MiB of idle`,
      isReached: after - idle <= MOST_ABOVE_IDLE,
    },
  ];
  for (const { text, isReached } of goals) console.log(`${isReached ? 'reached' : 'MISSED '}  ${text}`);
  return goals.every(({ isReached }) => isReached);
}

/** Samples the resident memory each second. */
class Recorder {
  readonly #samples: number[] = [];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(target: NodeTarget) {
    this.#running = this.#run(target);
  }

  /** How many samples there are. */
  get seconds(): number {
    return this.#samples.length;
  }

  /** @returns the memory at each second, in MiB */
  async stop(): Promise<readonly number[]> {
    this.#end.abort();
    await this.#running;
    return this.#samples;
  }

  async #run(target: NodeTarget): Promise<void> {
    const begin = performance.now();
    while (!this.#end.signal.aborted) {
      this.#samples.push((await target.resident()) / MIB);
      await setTimeout(Math.max(0, begin + this.seconds * 1000 - performance.now()));
    }
  }
}
