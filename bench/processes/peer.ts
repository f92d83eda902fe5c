// Another proxy for the same enclave: the crate maple-proxy, which is native code. What the probe reports for programs on
// Node is read from /proc, so it can be measured on Linux only.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { end, startChild, waitForLine } from './target.ts';
import type { Target, Watched } from './target.ts';

export class PeerTarget implements Target {
  readonly url: string;
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(url: string, startMs: number, child: ChildProcess) {
    this.url = url;
    this.startMs = startMs;
    this.#child = child;
  }

  /** @param enclave it accepts unsigned documents from an address of this computer without TLS */
  static async start(program: string, enclave: string): Promise<PeerTarget> {
    const port = await findFreePort();
    const begin = performance.now();
    const child = startChild(program, [], {
      MAPLE_PORT: String(port),
      MAPLE_BACKEND_URL: enclave,
      RUST_LOG: 'tower_http=warn', // no line for each request, like the sealed proxy
    });
    await waitForLine(child, /started successfully/);
    return new PeerTarget(`http://127.0.0.1:${port}`, performance.now() - begin, child);
  }

  /** The sum of its threads. A thread that has ended is missing; those that do the work do not end. */
  async cpu(): Promise<number> {
    const folder = `/proc/${this.#child.pid}/task`;
    const threads = await readdir(folder);
    const times = await Promise.all(threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8')));
    const nanoseconds = times.reduce((sum, time) => sum + Number(time.split(' ', 1)[0]), 0);
    return nanoseconds / 1000;
  }

  memory(): Promise<number> {
    return this.#readMemory('VmRSS');
  }

  watch(): Promise<void> {
    return Promise.resolve();
  }

  /** Since its start: the kernel records the peak itself. */
  async watched(): Promise<Watched> {
    return { peak: await this.#readMemory('VmHWM'), pause: undefined };
  }

  stop(): Promise<void> {
    return end(this.#child, 'SIGKILL');
  }

  async #readMemory(name: string): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
