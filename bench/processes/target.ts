// A measured process.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));

export interface Watched {
  /** Resident memory in bytes. */
  readonly peak: number;
  /** Of the event loop, in milliseconds; undefined for a program without one. */
  readonly pause: number | undefined;
}

export interface Target {
  readonly url: string;
  /** From the start of the process until it listens, in milliseconds. */
  readonly startMs: number;
  /** CPU time of all threads since the start, in microseconds. */
  cpu(): Promise<number>;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Begins to observe the process. */
  watch(): Promise<void>;
  /** The highest values since `watch`. */
  watched(): Promise<Watched>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** The Node that runs the program. Default: this one. */
  readonly node?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Modules for `--import`, before the program runs. */
  readonly preloads?: readonly string[];
  /** Other options of Node. */
  readonly flags?: readonly string[];
  /** False: without the probe, which takes time to load. Then only its address and its start can be read. */
  readonly probed?: boolean;
}

/** A program on Node, measured by the probe that it has loaded. */
export class NodeTarget implements Target {
  /** The first line that the process printed. */
  readonly line: string;
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #results: AsyncIterator<string>;

  private constructor(line: string, startMs: number, child: ChildProcess) {
    this.line = line;
    this.startMs = startMs;
    this.#child = child;
    this.#results = createInterface({ input: child.stdio[3] as Duplex })[Symbol.asyncIterator]();
  }

  static async start(
    program: string,
    programArgs: readonly string[] = [],
    options: NodeOptions = {},
  ): Promise<NodeTarget> {
    const { node = process.execPath, environment = {}, preloads = [], flags = [], probed = true } = options;
    const imports = [...(probed ? [PROBE] : []), ...preloads].flatMap((path) => ['--import', path]);
    const begin = performance.now();
    const args = [...(probed ? ['--expose-gc'] : []), ...flags, ...imports, program, ...programArgs];
    const child = startChild(node, args, { PATH: process.env['PATH'], ...environment });
    const line = await waitForLine(child, /listening on/);
    return new NodeTarget(line, performance.now() - begin, child);
  }

  /** The address in `line`. */
  get url(): string {
    return /http:\S+/.exec(this.line)?.[0] ?? '';
  }

  async cpu(): Promise<number> {
    return Number(await this.#measure('cpu'));
  }

  /** After a garbage collection. */
  async memory(): Promise<number> {
    return Number(await this.#measure('memory'));
  }

  /** Resident memory in bytes as it is, without a garbage collection. */
  async resident(): Promise<number> {
    return Number(await this.#measure('resident'));
  }

  async watch(): Promise<void> {
    await this.#measure('watch');
  }

  async watched(): Promise<Watched> {
    return (await this.#measure('watched')) as Watched;
  }

  /** @param signal with SIGTERM, the program ends by itself */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await end(this.#child, signal);
  }

  async #measure(name: string): Promise<unknown> {
    (this.#child.stdio[3] as Duplex).write(name);
    const { value } = (await this.#results.next()) as { value: string };
    return JSON.parse(value);
  }
}

/** Starts a process that ends with this one. Its file descriptor 3 is for the probe. */
export function startChild(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** The first line of the standard output that matches. What follows is discarded. */
export async function waitForLine({ stdout, spawnfile }: ChildProcess, pattern: RegExp): Promise<string> {
  if (stdout === null) throw new Error('No standard output');
  let found: string | undefined;
  for await (const line of createInterface({ input: stdout })) {
    if (!pattern.test(line)) continue;
    found = line;
    break;
  }
  if (found === undefined) throw new Error(`${spawnfile} ended before it listened`);
  stdout.resume(); // the end of the loop has paused it, and the program must not wait for a reader
  return found;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
