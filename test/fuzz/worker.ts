// Fuzzes one target in a thread of its own: keeps each input that reaches a place that none has reached, or reaches one
// many more times, and changes those.
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../support/mutations.ts';
import { readCorpus } from './corpus.ts';
import type { CorpusInput } from './corpus.ts';
import { execute } from './execute.ts';
import type { Failure } from './execute.ts';
import { instrumentSources } from './instrument.ts';
import { minimize } from './minimize.ts';
import { change } from './mutations.ts';
import { loadTarget } from './target.ts';
import type { FuzzTarget, TargetName } from './target.ts';

export interface Job {
  readonly name: TargetName;
  readonly milliseconds: number;
  readonly seed: number;
  /** How many inputs were run. */
  readonly progress: SharedArrayBuffer;
  /** The length of the current input, then its bytes: what is left of a thread that hangs or ends. */
  readonly current: SharedArrayBuffer;
}

export interface Result {
  readonly executions: number;
  /** How many places of the loaded modules the seeds and the corpus reach, and how many all inputs. */
  readonly reachedBySeeds: number;
  readonly reached: number;
  readonly places: number;
  /** Short ones that together reach what the seeds do not, and the discoveries. */
  readonly corpus: readonly CorpusInput[];
  readonly failure?: Failure | undefined;
}

/** Longer ones are not kept for the repository, in bytes. */
const LONGEST_KEPT = 2048;
const DEFAULT_MAX_LENGTH = 32_768;

/** An input, and what it has reached. */
interface Kept {
  readonly bytes: Buffer;
  readonly places: readonly number[];
}

class Fuzzer {
  readonly #job: Job;
  readonly #target: FuzzTarget;
  readonly #random: () => number;
  readonly #progress: Int32Array;
  readonly #currentLength: Int32Array;
  readonly #current: Uint8Array;
  readonly #coverage: ReturnType<typeof instrumentSources>;
  /** For each place, the numbers of times, as bits. */
  readonly #seen: Uint8Array;
  readonly #kept: Kept[] = [];
  failure: { readonly bytes: Buffer; readonly failure: Failure } | undefined;

  constructor(job: Job, target: FuzzTarget, coverage: ReturnType<typeof instrumentSources>) {
    this.#job = job;
    this.#target = target;
    this.#coverage = coverage;
    this.#random = seededRandom(job.seed);
    this.#progress = new Int32Array(job.progress);
    this.#currentLength = new Int32Array(job.current, 0, 1);
    this.#current = new Uint8Array(job.current, 4);
    this.#seen = new Uint8Array(coverage.counters.length);
  }

  get executions(): number {
    return this.#progress[0] ?? 0;
  }

  get reached(): number {
    return this.#seen.reduce((count, bits) => count + Number(bits !== 0), 0);
  }

  /** @returns false if it fails */
  async try(bytes: Buffer): Promise<boolean> {
    const { counters } = this.#coverage;
    counters.fill(0, 0, this.#coverage.places());
    this.#currentLength[0] = bytes.length;
    this.#current.set(bytes);
    const failure = await execute(this.#target, bytes);
    Atomics.add(this.#progress, 0, 1);
    if (failure !== undefined) this.failure = { bytes, failure };
    else this.#keepIfNew(bytes);
    return failure === undefined;
  }

  async run(): Promise<void> {
    const deadline = performance.now() + this.#job.milliseconds;
    const maxLength = this.#target.maxLength ?? DEFAULT_MAX_LENGTH;
    const material = { words: this.#coverage.words(), others: this.#kept.map(({ bytes }) => bytes) };
    while (performance.now() < deadline) {
      const known = this.#kept.length;
      // The newest ones more often.
      const { bytes } = this.#kept[Math.floor(known * Math.sqrt(this.#random()))] ?? { bytes: Buffer.alloc(0) };
      const knows = this.#target.mutate !== undefined && this.#random() < 0.5;
      const informed = knows ? Buffer.from(this.#target.mutate(bytes, this.#random) as string) : bytes;
      const isEnough = knows && this.#random() < 0.7;
      const next = isEnough ? informed.subarray(0, maxLength) : change(informed, this.#random, material, maxLength);
      if (!(await this.try(next))) return;
      for (const { bytes: more } of this.#kept.slice(known)) material.others.push(more);
    }
  }

  /**
   * Greedily, the shortest first.
   * @param seeds what these reach needs no other input
   */
  distil(seeds: readonly Buffer[]): readonly Buffer[] {
    const isSeed = (bytes: Buffer) => seeds.some((seed) => seed.equals(bytes));
    const covered = new Set(this.#kept.filter(({ bytes }) => isSeed(bytes)).flatMap(({ places }) => places));
    const short = this.#kept.filter(({ bytes }) => bytes.length <= LONGEST_KEPT);
    return short
      .toSorted((a, b) => a.bytes.length - b.bytes.length)
      .filter(({ places }) => {
        const before = covered.size;
        for (const place of places) covered.add(place);
        return covered.size > before;
      })
      .map(({ bytes }) => bytes);
  }

  #keepIfNew(bytes: Buffer): void {
    const { counters, places } = this.#coverage;
    const count = places();
    let isNew = false;
    for (let place = 0; place < count; place++) {
      const times = counters[place] ?? 0;
      if (times === 0) continue;
      const bit = 1 << Math.min(7, 31 - Math.clz32(times));
      const seen = this.#seen[place] ?? 0;
      if ((seen & bit) !== 0) continue;
      this.#seen[place] = seen | bit;
      isNew = true;
    }
    if (!isNew) return;
    const reached = Array.from({ length: count }, (_, place) => place).filter((place) => counters[place] !== 0);
    this.#kept.push({ bytes, places: reached });
  }
}

async function fuzz(job: Job): Promise<Result> {
  const coverage = instrumentSources();
  const target = await loadTarget(job.name);
  const fuzzer = new Fuzzer(job, target, coverage);
  const known = readCorpus(job.name);
  const seeds = target.seeds().map((seed) => Buffer.from(seed as string));
  for (const bytes of [...seeds, ...known.map((input) => input.bytes)]) if (!(await fuzzer.try(bytes))) break;
  const reachedBySeeds = fuzzer.reached;
  if (fuzzer.failure === undefined) await fuzzer.run();
  const found = known.filter((input) => input.found !== undefined);
  const corpus: CorpusInput[] = [...found, ...fuzzer.distil(seeds).map((bytes) => ({ bytes }))];
  const { failure } = fuzzer;
  if (failure !== undefined) {
    const bytes = await minimize(target, failure.bytes, failure.failure);
    corpus.push({ bytes, found: failure.failure.kind });
  }
  await target.close?.();
  return {
    executions: fuzzer.executions,
    reachedBySeeds,
    reached: fuzzer.reached,
    places: coverage.places(),
    corpus,
    failure: failure?.failure,
  };
}

parentPort?.postMessage(await fuzz(workerData as Job));
