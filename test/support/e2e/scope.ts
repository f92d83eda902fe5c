// Enclaves and proxies that end with the test or the suite that started them.
import { fork } from 'node:child_process';
import { startEnclave } from '../../../src/devEnclave/server.ts';
import type { EnclaveOptions, RunningEnclave } from '../../../src/devEnclave/server.ts';
import { readConfig } from '../../../src/proxy/hosts/config.ts';
import { startService } from '../../../src/proxy/hosts/service.ts';
import type { Service, ServiceOptions } from '../../../src/proxy/hosts/service.ts';
import { Log } from '../../../src/proxy/process/log.ts';
import type { Values } from '../../../src/settings/environment.ts';
import { EventQueue } from './eventQueue.ts';
import { HostedProxy } from './hosted.ts';
import { ENCLAVE, HOST, PROXY, RunningProcess, environment, fromRoot, spawnNode } from './process.ts';
import type { LogLine, ProcessOptions } from './process.ts';
import { TcpRecorder } from './tcpRecorder.ts';

/** The API key of the proxy; the development enclave accepts every key that starts with `dev-`. */
export const API_KEY = 'dev-the-key-of-the-proxy';
/** What clients of the proxy send instead. */
export const ACCESS_KEY = `sealed-${'Access_key-'.repeat(4).slice(0, 43)}`;

/** Environment variables: the proxy's settings, and others that it reads. */
export type Settings = Values & Readonly<Record<string, string>>;

/** A server process. */
export type ServerProcess = RunningProcess & {
  /** Without `/v1` or a trailing slash. */
  readonly url: string;
  readonly port: number;
};

/** A proxy inside this process, for tests that replace its internals. */
export interface InternalProxy extends Service {
  readonly log: EventQueue<LogLine>;
}

export class Scope {
  readonly #closers: (() => Promise<unknown>)[] = [];

  /** Starts an enclave inside this process, so that a test can control it and read its journal. */
  async enclave(options: EnclaveOptions = {}): Promise<RunningEnclave> {
    const enclave = await startEnclave(options);
    this.onClose(() => enclave.close());
    return enclave;
  }

  /** Starts `dist/dev-enclave.js`. */
  enclaveProcess(args: readonly string[] = []): Promise<ServerProcess> {
    return this.#listening(new RunningProcess(spawnNode(ENCLAVE, { args: ['--pace', '0', ...args] })));
  }

  /** Starts a recording TCP relay in front of `target`. */
  async recorder(target: { readonly port: number }): Promise<TcpRecorder> {
    const recorder = await TcpRecorder.open(target.port);
    this.onClose(() => recorder.close());
    return recorder;
  }

  /** Starts `dist/proxy.js` in front of `backend`, with an API key and an access key, on any free port. */
  proxy(
    backend: { readonly url: string },
    settings: Settings = {},
    options: Omit<ProcessOptions, 'env'> = {},
  ): Promise<ServerProcess> {
    const env = { ...commonSettings(backend), ...settings };
    return this.#listening(new RunningProcess(spawnNode(PROXY, { ...options, env })));
  }

  /** Starts the same proxy inside this process. */
  async internalProxy(
    backend: { readonly url: string },
    settings: Settings = {},
    options: Omit<ServiceOptions, 'config' | 'log' | 'mainFile'> = {},
  ): Promise<InternalProxy> {
    const config = readConfig({ ...commonSettings(backend), ...settings });
    const lines = new EventQueue<LogLine>();
    const log = new Log(config.logLevel, (text) => {
      for (const line of text.trimEnd().split('\n')) lines.add(JSON.parse(line) as LogLine);
    });
    const service = await startService({ config, log, mainFile: fromRoot('src/proxy/main.ts'), ...options });
    this.onClose(() => service.stop(0));
    return { ...service, log: lines };
  }

  /** Forks `dist/proxy.js` as the extension does; it waits for its settings. */
  hosted(options: Omit<ProcessOptions, 'args'> = {}): HostedProxy {
    const { env, nodeArgs = [] } = options;
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = fork(PROXY, [], { execArgv: [...nodeArgs], env: environment(env), stdio: [...stdio] });
    const hosted = new HostedProxy(child);
    this.onClose(() => hosted.kill());
    return hosted;
  }

  /** Starts a process that hosts a proxy in front of this backend and prints `ready URL`. */
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
    const line = await process.stdout.find('the address of the server', (text) => text.includes(' listening on '));
    const url = line.replace(/^.* listening on /, '');
    return Object.assign(process, { url, port: Number(new URL(url).port) });
  }

  /** Ends everything, in reverse order of start. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/** A scope that ends with each test of the calling suite. */
export function perTest(): Scope {
  const scope = new Scope();
  afterEach(() => scope.close());
  return scope;
}

/** A scope that ends with the calling suite. */
export function perSuite(): Scope {
  const scope = new Scope();
  after(() => scope.close());
  return scope;
}

/** An enclave inside this process and a proxy in front of it. */
export interface Served {
  readonly enclave: RunningEnclave;
  readonly proxy: ServerProcess;
}

/**
 * Starts an enclave and a proxy with a session before the tests of the calling suite, which share them.
 * What is returned can be used from then on.
 */
export function serve(
  scope: Scope,
  options: { enclave?: EnclaveOptions; settings?: Settings; process?: Omit<ProcessOptions, 'env'> } = {},
): Served {
  const served: Partial<{ -readonly [Name in keyof Served]: Served[Name] }> = {};
  before(async () => {
    served.enclave = await scope.enclave(options.enclave);
    served.proxy = await scope.proxy(served.enclave, options.settings, options.process);
    await served.proxy.logged('session');
  });
  return served as Served;
}

function commonSettings({ url }: { readonly url: string }): Settings & Record<string, string> {
  return {
    PROXY_PORT: '0',
    PROXY_BACKEND_URL: url,
    PROXY_API_KEY: API_KEY,
    PROXY_ACCESS_KEYS: ACCESS_KEY,
    PROXY_CHECK_API_KEY: 'false', // tests count the requests that reach the backend
  };
}
