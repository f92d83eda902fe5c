// A measured process.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));

export interface Watched {
  /** Bytes. */
  readonly peak: number;
  /** Milliseconds. */
  readonly pause: number;
}

export class Target {
  /** The first line that the process printed. */
  readonly line: string;
  /** From the start of the process to its line, in milliseconds. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #results: AsyncIterator<string>;

  private constructor(line: string, startMs: number, child: ChildProcess) {
    this.line = line;
    this.startMs = startMs;
    this.#child = child;
    this.#results = createInterface({ input: child.stdio[3] as Duplex })[Symbol.asyncIterator]();
  }

  /** @param preloads modules for `--import`, before the program runs */
  static async start(
    program: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    preloads: readonly string[] = [],
  ): Promise<Target> {
    const begin = performance.now();
    const imports = [PROBE, ...preloads].flatMap((path) => ['--import', path]);
    const child = spawn(process.execPath, ['--expose-gc', ...imports, program, ...args], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    });
    if (child.stdout === null) throw new Error('No standard output');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new Target(line, performance.now() - begin, child);
  }

  /** The address in `line`. */
  get url(): string {
    return /http:\S+/.exec(this.line)?.[0] ?? '';
  }

  async cpu(): Promise<number> {
    return Number(await this.#measure('cpu'));
  }

  async memory(): Promise<number> {
    return Number(await this.#measure('memory'));
  }

  async watch(): Promise<void> {
    await this.#measure('watch');
  }

  async watched(): Promise<Watched> {
    return (await this.#measure('watched')) as Watched;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #measure(name: string): Promise<unknown> {
    (this.#child.stdio[3] as Duplex).write(name);
    const { value } = (await this.#results.next()) as { value: string };
    return JSON.parse(value);
  }
}
