// What the tests run against: enclaves and proxies that end with the test, or the suite, that started them.
import { fork } from 'node:child_process';
import { startEnclave } from '../../../src/devEnclave/server.ts';
import type { EnclaveOptions, RunningEnclave } from '../../../src/devEnclave/server.ts';
import { readConfig } from '../../../src/proxy/hosts/config.ts';
import type { Values } from '../../../src/settings/environment.ts';
import { Log } from '../../../src/proxy/log.ts';
import { startService } from '../../../src/proxy/service.ts';
import type { Service, ServiceOptions } from '../../../src/proxy/service.ts';
import { EventQueue } from './eventQueue.ts';
import { HostedProxy } from './hosted.ts';
import { ENCLAVE, HOST, PROXY, RunningProcess, environment, spawnNode } from './process.ts';
import type { LogLine, ProcessOptions } from './process.ts';
import { TcpRecorder } from './tcpRecorder.ts';

/** The key that the proxy holds; the development enclave takes every key that begins with `dev-`. */
export const API_KEY = 'dev-the-key-of-the-proxy';
/** What a client of the proxy sends in its place. */
export const ACCESS_KEY = `sealed-${'Access_key-'.repeat(4).slice(0, 43)}`;

/** Variables of the environment: the proxy's own, and others that it looks at. */
export type Settings = Values & Readonly<Record<string, string>>;

/** A server that is a process of its own. */
export type ServerProcess = RunningProcess & {
  /** Without `/v1` and without a slash at its end. */
  readonly url: string;
  readonly port: number;
};

/** A proxy inside this process, for what no setting can reach. */
export interface InternalProxy extends Service {
  readonly log: EventQueue<LogLine>;
}

export class Scope {
  readonly #closers: (() => Promise<unknown>)[] = [];

  /** An enclave inside this process, so that a test can steer it and read its journal. */
  async enclave(options: EnclaveOptions = {}): Promise<RunningEnclave> {
    const enclave = await startEnclave(options);
    this.onClose(() => enclave.close());
    return enclave;
  }

  /** `dist/dev-enclave.js` as a process of its own. */
  enclaveProcess(args: readonly string[] = []): Promise<ServerProcess> {
    return this.#listening(new RunningProcess(spawnNode(ENCLAVE, { args: ['--pace', '0', ...args] })));
  }

  /** A TCP relay in front of `target`. */
  async tap(target: { readonly port: number }): Promise<TcpRecorder> {
    const tap = await TcpRecorder.open(target.port);
    this.onClose(() => tap.close());
    return tap;
  }

  /** `dist/proxy.js` in front of `backend`, with an API key and an access key, on any free port. */
  proxy(
    backend: { readonly url: string },
    settings: Settings = {},
    options: Omit<ProcessOptions, 'env'> = {},
  ): Promise<ServerProcess> {
    const env = { ...commonSettings(backend), ...settings };
    return this.#listening(new RunningProcess(spawnNode(PROXY, { ...options, env })));
  }

  /** The same inside this process. */
  async internalProxy(
    backend: { readonly url: string },
    settings: Settings = {},
    options: Omit<ServiceOptions, 'config' | 'log'> = {},
  ): Promise<InternalProxy> {
    const config = readConfig({ ...commonSettings(backend), ...settings });
    const lines = new EventQueue<LogLine>();
    const log = new Log(config.logLevel, (text) => {
      for (const line of text.trimEnd().split('\n')) lines.add(JSON.parse(line) as LogLine);
    });
    const service = await startService({ config, log, ...options });
    this.onClose(() => service.stop(0));
    return { ...service, log: lines };
  }

  /** `dist/proxy.js` as an editor hosts it: it has been told nothing yet. */
  hosted(options: Omit<ProcessOptions, 'args'> = {}): HostedProxy {
    const { env, nodeArgs = [] } = options;
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = fork(PROXY, [], { execArgv: [...nodeArgs], env: environment(env), stdio: [...stdio] });
    const hosted = new HostedProxy(child);
    this.onClose(() => hosted.kill());
    return hosted;
  }

  /** A process that hosts a proxy in front of this backend; it prints `ready URL`. */
  host(backendUrl: string): RunningProcess {
    const host = new RunningProcess(spawnNode(HOST, { args: [PROXY, backendUrl] }));
    this.onClose(() => host.kill());
    return host;
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async #listening(process: RunningProcess): Promise<ServerProcess> {
    this.onClose(() => process.kill());
    const line = await process.stdout.find('the address to ask', (text) => text.includes(' listening on '));
    const url = line.replace(/^.* listening on /, '');
    return Object.assign(process, { url, port: Number(new URL(url).port) });
  }

  /** Ends everything, the latest first. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/** What each test of the calling suite starts ends with it. */
export function perTest(): Scope {
  const scope = new Scope();
  afterEach(() => scope.close());
  return scope;
}

/** What the hooks of the calling suite start ends with the suite. */
export function perSuite(): Scope {
  const scope = new Scope();
  after(() => scope.close());
  return scope;
}

function commonSettings({ url }: { readonly url: string }): Settings & Record<string, string> {
  return {
    PROXY_PORT: '0',
    PROXY_BACKEND_URL: url,
    PROXY_API_KEY: API_KEY,
    PROXY_ACCESS_KEYS: ACCESS_KEY,
  };
}
