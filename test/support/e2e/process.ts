// Real processes: the bundles of dist/, started as users start them.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { GRACE } from '../../../src/proxy/hosts/ipcHost.ts';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { EventQueue } from './eventQueue.ts';
import { timed } from './stopwatch.ts';

export const PROXY = fromRoot('dist/proxy.js');
export const ENCLAVE = fromRoot('dist/dev-enclave.js');
export const HOST = fromRoot('test/support/e2e/host.mjs');

/** The runtimes that the proxy must run on: the second behaves like Electron, without a native ChaCha20-Poly1305. */
export const RUNTIMES = [
  { runtime: 'the native AEAD', nodeArgs: [] },
  { runtime: 'the AEAD in WebAssembly', nodeArgs: ['--import', new URL('../boringssl.mjs', import.meta.url).href] },
] as const;

/** The absolute path of a file of the project. */
export function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

export interface ProcessOptions {
  readonly args?: readonly string[];
  /** The environment, in addition to what the operating system needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
  /** The Node executable; by default the one that runs the tests. */
  readonly node?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A line of the proxy's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

/** The environment of a new process, without the variables that this process was started with. */
export function environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', SystemRoot } = process.env as { PATH?: string; SystemRoot?: string };
  return { PATH, ...(SystemRoot === undefined ? {} : { SystemRoot }), ...env };
}

/** Starts a script with Node. */
export function spawnNode(script: string, options: ProcessOptions = {}): ChildProcess {
  const { args = [], env, nodeArgs = [], cwd, node = process.execPath } = options;
  return spawn(node, [...nodeArgs, script, ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** A child process and the lines that it writes. */
export class RunningProcess {
  readonly child: ChildProcess;
  readonly stdout = new EventQueue<string>();
  readonly stderr = new EventQueue<string>();
  /** Resolves when the process has exited and all of its output has been read. */
  readonly ended: Promise<Exit>;

  constructor(child: ChildProcess) {
    this.child = child;
    collectLines(child.stdout, this.stdout);
    collectLines(child.stderr, this.stderr);
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const read = [child.stdout, child.stderr].map((stream) => stream && once(stream, 'close'));
    // Not the event `close` of the child: it is not emitted if this side has closed the channel.
    this.ended = Promise.all([exited, ...read]).then(([[code, signal]]) => ({ code, signal }));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The log so far. */
  get log(): readonly LogLine[] {
    return this.stderr.items.map(parseLogLine);
  }

  /** Resolves with the first line of the log with this event and these fields, from line `start` on. */
  async logged(event: string, fields: Readonly<Record<string, unknown>> = {}, start = 0): Promise<LogLine> {
    const accepts = (line: string) => {
      const entry = parseLogLine(line);
      return entry.event === event && Object.entries(fields).every(([name, value]) => entry[name] === value);
    };
    const label = `the log line ${event} ${JSON.stringify(fields)}`;
    return parseLogLine(await this.stderr.find(label, accepts, start));
  }

  /** Resolves when the process exits by itself. */
  exit(): Promise<Exit> {
    return withTimeout(`the end of process ${this.pid}`, DEADLINE, this.ended);
  }

  /** Resolves when the process exits by itself. Rejects if that took as long as running requests may take to finish. */
  async exitAtOnce(): Promise<Exit> {
    const { result, milliseconds } = await timed(() => this.exit());
    if (milliseconds >= GRACE) throw new Error(`Process ${this.pid} took ${milliseconds} ms to exit`);
    return result;
  }

  /** Ends the process in any state. */
  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.exit();
  }
}

function parseLogLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { event: `not JSON: ${line}` };
  }
}

function collectLines(stream: NodeJS.ReadableStream | null, lines: EventQueue<string>): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) lines.add(line);
  });
  stream?.on('end', () => {
    if (rest !== '') lines.add(rest);
  });
}

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script to its end: the proxy, unless it is another one. */
export async function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { script = PROXY }: { readonly script?: string } = {},
): Promise<Finished> {
  const child = new RunningProcess(spawnNode(script, { args, env }));
  const { code } = await child.exit();
  return { code, stdout: child.stdout.items.join('\n'), stderr: child.stderr.items.join('\n') };
}
