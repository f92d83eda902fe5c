// npm run fuzz -- [--minutes N] [--target NAME]... [--seed N] [--keep]
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { readCorpus, writeCorpus } from './corpus.ts';
import { TARGETS } from './target.ts';
import type { TargetName } from './target.ts';
import type { Job, Result } from './worker.ts';

const USAGE = `Usage: npm run fuzz -- [--minutes N] [--target NAME]... [--seed N] [--keep]
  --minutes N    in all, divided among the targets (default: ${TARGETS.length})
  --target NAME  only this one: ${TARGETS.join(', ')}
  --seed N       the beginning of the random numbers (default: the time)
  --keep         keep the inputs in test/fuzz/corpus that reach more than those that are there`;

/** How much CPU time one input may take, in milliseconds; the limit in execute.ts is shorter, but does not end a loop. */
const HANG = 30_000;
const MIB = 1024 * 1024;

interface Options {
  readonly minutes: number;
  readonly targets: readonly TargetName[];
  readonly seed: number;
  readonly keeps: boolean;
}

/** @throws Error with a sentence for the user */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: String(TARGETS.length) },
      target: { type: 'string', multiple: true },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      keep: { type: 'boolean', default: false },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  const targets = TARGETS.filter((name) => values.target?.includes(name) ?? true);
  const unknown = values.target?.find((name) => !TARGETS.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}`);
  return { minutes, targets, seed: Number(values.seed), keeps: values.keep };
}

async function run({ minutes, targets, seed, keeps }: Options): Promise<boolean> {
  console.log(`${targets.length} targets in ${minutes} min, --seed ${seed}\n`);
  let succeeded = true;
  for (const name of targets) {
    const { executions, reachedBySeeds, reached, places, corpus, failure } = await fuzz(
      name,
      (minutes * 60_000) / targets.length,
      seed,
    );
    const gain = `${reachedBySeeds} -> ${reached} of ${places} places`;
    console.log(`${name.padEnd(17)} ${String(executions).padStart(9)} inputs   ${gain}`);
    if (keeps || failure !== undefined) writeCorpus(name, failure === undefined ? corpus : withFound(name, corpus));
    if (failure === undefined) continue;
    succeeded = false;
    console.log(`\n${name} FAILS with the last input of test/fuzz/corpus/${name}.json:\n${failure.details}\n`);
  }
  return succeeded;
}

/** What was there, and the new discovery. */
function withFound(name: TargetName, corpus: Result['corpus']): Result['corpus'] {
  const before = readCorpus(name);
  const discovery = corpus.at(-1);
  const isKnown = before.some(({ bytes }) => discovery?.bytes.equals(bytes));
  return isKnown || discovery === undefined ? before : [...before, discovery];
}

function fuzz(name: TargetName, milliseconds: number, seed: number): Promise<Result> {
  const progress = new SharedArrayBuffer(4);
  const current = new SharedArrayBuffer(4 + 4 * MIB);
  const job: Job = { name, milliseconds, seed, progress, current };
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: job });
  return new Promise((resolve) => {
    const executed = new Int32Array(progress);
    const failed = (kind: string, details: string) => {
      clearInterval(watch);
      const bytes = Buffer.from(new Uint8Array(current, 4, new Int32Array(current, 0, 1)[0]));
      const failure = { kind, details };
      const executions = executed[0] ?? 0;
      const nothing = { reachedBySeeds: 0, reached: 0, places: 0 };
      resolve({ ...nothing, executions, corpus: [{ bytes, found: kind }], failure });
    };
    let [last, since] = [-1, cpuTime()];
    const watch = setInterval(() => {
      const now = Atomics.load(executed, 0);
      if (now !== last) [last, since] = [now, cpuTime()];
      if (cpuTime() - since < HANG) return;
      void worker.terminate();
      failed('hangs', `An input takes more than ${HANG / 1000} s.`);
    }, 1000);
    worker.once('message', (result: Result) => {
      clearInterval(watch);
      const corpus = result.corpus.map(({ bytes, found }) => ({ bytes: Buffer.from(bytes), found }));
      resolve({ ...result, corpus });
    });
    worker.once('error', (error: unknown) => {
      failed('ends', error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
  });
}

/** Of this process, in which only the worker computes, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

try {
  process.exitCode = (await run(readOptions())) ? 0 : 1;
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
