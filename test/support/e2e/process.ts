// Real processes: the bundles of dist/, started as people start them.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { EventQueue } from './eventQueue.ts';

export const PROXY = fromRoot('dist/proxy.js');
export const ENCLAVE = fromRoot('dist/dev-enclave.js');
export const HOST = fromRoot('test/support/e2e/host.mjs');

/** The runtimes that the proxy must run on: the second looks like Electron, without ChaCha20-Poly1305 of its own. */
export const RUNTIMES = [
  { runtime: 'the native AEAD', nodeArgs: [] },
  { runtime: 'the pure AEAD', nodeArgs: ['--import', new URL('../boringssl.mjs', import.meta.url).href] },
] as const;

/** The absolute path of a file of the project. */
export function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

export interface ProcessOptions {
  readonly args?: readonly string[];
  /** All there is of the environment, apart from what the system itself needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
  /** The runtime; the one of the tests unless said otherwise. */
  readonly node?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A line of the proxy's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

/** What a process is started with: nothing of the settings that the tests themselves were started with. */
export function environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', SystemRoot } = process.env as { PATH?: string; SystemRoot?: string };
  return { PATH, ...(SystemRoot === undefined ? {} : { SystemRoot }), ...env };
}

/** Starts a script of Node's. */
export function spawnNode(script: string, options: ProcessOptions = {}): ChildProcess {
  const { args = [], env, nodeArgs = [], cwd, node = process.execPath } = options;
  return spawn(node, [...nodeArgs, script, ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** A child process, and every line that it writes. */
export class RunningProcess {
  readonly child: ChildProcess;
  readonly stdout = new EventQueue<string>();
  readonly stderr = new EventQueue<string>();
  /** Settles when it has ended and everything that it wrote has been read. */
  readonly ended: Promise<Exit>;

  constructor(child: ChildProcess) {
    this.child = child;
    collectLines(child.stdout, this.stdout);
    collectLines(child.stderr, this.stderr);
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const read = [child.stdout, child.stderr].map((stream) => stream && once(stream, 'close'));
    // Not the event `close` of the child: it does not come where this side has closed the channel.
    this.ended = Promise.all([exited, ...read]).then(([[code, signal]]) => ({ code, signal }));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Every line of the log so far. */
  get log(): readonly LogLine[] {
    return this.stderr.items.map(parseLogLine);
  }

  /** The first line of the log with this event and these fields, from line `start` on. */
  async logged(event: string, fields: Readonly<Record<string, unknown>> = {}, start = 0): Promise<LogLine> {
    const accepts = (line: string) => {
      const entry = parseLogLine(line);
      return entry.event === event && Object.entries(fields).every(([name, value]) => entry[name] === value);
    };
    const label = `the log line ${event} ${JSON.stringify(fields)}`;
    return parseLogLine(await this.stderr.find(label, accepts, start));
  }

  /** Its end, which must come by itself. */
  exit(deadline = DEADLINE): Promise<Exit> {
    return withTimeout(`the end of process ${this.pid}`, deadline, this.ended);
  }

  /** Ends it, whatever it does. */
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
