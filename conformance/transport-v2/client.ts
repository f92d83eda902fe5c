// The client under test: a process, and requests of a local client to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Field } from './suite.ts';

/** How a client is started. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How long the client may take to listen, and to answer, in milliseconds. */
const START = 60_000;
const ANSWER = 100_000;

/** Parses `NAME=VALUE ... PROGRAM ARGUMENT ...`, separated by spaces. */
export function parseCommand(text: string): Command {
  const words = text.split(/ +/).filter((word) => word !== '');
  const program = words.findIndex((word) => !/^\w+=/.test(word));
  const assigned = words
    .slice(0, program)
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
  const [first, ...args] = words.slice(program);
  if (program < 0 || first === undefined) throw new RangeError('--client names no program');
  return { program: first, args, env: Object.fromEntries(assigned) as Record<string, string> };
}

/** A request of the local client as it is sent. */
export interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Field[];
  readonly body: Buffer | undefined;
  readonly chunked: boolean;
}

/** What the local client has got. `isWhole`: the body has ended as HTTP ends it. */
export type Received =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly Field[];
      readonly body: Buffer;
      readonly isWhole: boolean;
    }
  /** The connection was closed before a response, or nothing came in time. */
  | { readonly kind: 'closed' | 'nothing'; readonly reason: string };

export class Client {
  readonly #command: Command;
  readonly #values: Readonly<Record<string, string>>;
  readonly #port: number;
  readonly #process: ChildProcess;
  #output = '';

  /** @param timeout what its time limits must be, in seconds */
  static async start(command: Command, enclaveUrl: string, timeout: number): Promise<Client> {
    const client = new Client(command, enclaveUrl, timeout, await freePort());
    await client.#listening();
    return client;
  }

  private constructor(command: Command, enclaveUrl: string, timeout: number, port: number) {
    this.#command = command;
    this.#port = port;
    this.#values = { enclave: enclaveUrl, port: String(port), timeout: String(timeout) };
    this.#process = spawn(
      command.program,
      command.args.map((arg) => this.#fill(arg)),
      {
        env: {
          ...inherited(),
          ...Object.fromEntries(Object.entries(command.env).map(([name, value]) => [name, this.#fill(value)])),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#process.on('error', () => undefined); // #listening reports it
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (text: Buffer) => (this.#output = (this.#output + text.toString()).slice(-4000)));
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  /** Sends a request on a connection of its own, and reads the response to its end. */
  send(outgoing: Outgoing): Promise<Received> {
    return new Promise((resolve) => {
      const { method, target, headers, body, chunked } = outgoing;
      const framing: Field[] =
        body === undefined
          ? []
          : chunked
            ? [['transfer-encoding', 'chunked']]
            : [['content-length', String(body.length)]];
      const sent = request({
        host: '127.0.0.1',
        port: this.#port,
        method,
        path: target,
        agent: false,
        headers: [['host', `127.0.0.1:${this.#port}`], ...headers, ...framing].flat(),
        maxHeaderSize: 1 << 20,
      });
      const timer = setTimeout(() => {
        sent.destroy();
        resolve({ kind: 'nothing', reason: `no end of the response in ${ANSWER / 1000} seconds` });
      }, ANSWER);
      const finish = (received: Received) => {
        clearTimeout(timer);
        resolve(received);
      };
      sent.on('error', (error) => {
        finish({ kind: 'closed', reason: error.message });
      });
      sent.on('response', (response) => {
        void readAll(response).then(finish);
      });
      writeBody(sent, body, chunked);
    });
  }

  async #listening(): Promise<void> {
    const deadline = performance.now() + START;
    while (performance.now() < deadline) {
      if (this.#process.exitCode !== null || this.#process.pid === undefined) break;
      if (await accepts(this.#port)) return;
      await sleep(20);
    }
    await this.stop();
    throw new Error(`The client ${this.#command.program} does not listen on port ${this.#port}. ${this.#output}`);
  }

  #fill(text: string): string {
    return text.replaceAll(/\{(enclave|port|timeout)\}/g, (_, name: string) => this.#values[name] ?? '');
  }
}

/** Not the variables of this process, which may configure the client: only what programs need to start. */
function inherited(): Record<string, string> {
  const { PATH = '', SystemRoot, HOME } = process.env as { PATH?: string; SystemRoot?: string; HOME?: string };
  return { PATH, ...(SystemRoot === undefined ? {} : { SystemRoot }), ...(HOME === undefined ? {} : { HOME }) };
}

function writeBody(sent: ClientRequest, body: Buffer | undefined, chunked: boolean): void {
  if (chunked && body !== undefined) {
    const half = body.length >> 1;
    sent.write(body.subarray(0, half));
    sent.end(body.subarray(half));
  } else {
    sent.end(body);
  }
}

function readAll(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const finish = () => {
      const { rawHeaders, statusCode = 0, complete } = response;
      const headers = rawHeaders.flatMap((name, index): Field[] =>
        index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
      );
      resolve({ kind: 'response', status: statusCode, headers, body: Buffer.concat(chunks), isWhole: complete });
    };
    response.on('error', () => undefined); // `complete` says so
    response.on('close', finish);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}
