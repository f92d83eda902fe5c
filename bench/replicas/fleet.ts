// Several replicas of the sealed proxy as processes, and a balancer in front of them with its recipe of deploy/balancers.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../src/supervisor/proxyProcess.ts';
import { end, startChild, waitForLine } from '../processes/target.ts';

/**
 * How to run each balancer with a configuration file, the file of its recipe, and after how long it uses a replica that
 * has returned, in milliseconds.
 */
const BALANCERS = {
  haproxy: { recipe: 'haproxy.cfg', returns: 2000, args: (file: string) => ['-db', '-f', file] },
  nginx: { recipe: 'nginx.conf', returns: 5500, args: (file: string) => ['-c', file, '-g', 'daemon off;'] },
  envoy: {
    recipe: 'envoy.yaml',
    returns: 2000,
    args: (file: string) => ['-c', file, '-l', 'warn', '--concurrency', '2'],
  },
} as const;

export type BalancerName = keyof typeof BALANCERS;
export const BALANCER_NAMES = ['haproxy', 'nginx', 'envoy'] as const satisfies readonly BalancerName[];

/** In seconds; longer than a balancer with checks needs to see that a replica is not ready. */
export const DRAIN_DELAY = 3;
/** For a replica to become ready and for a balancer to use it, in milliseconds. */
const DEADLINE = 120_000;

/** The files of the secrets that all replicas share. */
export class SecretFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(apiKey: string, accessKeys: readonly string[]): Promise<SecretFolder> {
    const folder = new SecretFolder(await mkdtemp(join(tmpdir(), 'sealed-proxy-replicas-')));
    await folder.write('api-key', apiKey);
    await folder.write('access-keys', accessKeys.join('\n'));
    await folder.write('cache-root', randomBytes(32).toString('base64'));
    return folder;
  }

  async write(name: 'api-key' | 'access-keys' | 'cache-root', text: string): Promise<void> {
    await writeFile(join(this.path, name), text, { mode: 0o600 });
  }
}

export function newAccessKey(): string {
  return `sealed-${randomBytes(32).toString('base64url')}`;
}

export class Replica {
  readonly port: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  /** @param flags options of Node */
  constructor(port: number, enclave: string, secrets: SecretFolder, flags: readonly string[] = []) {
    this.port = port;
    this.#flags = flags;
    this.#environment = {
      PROXY_PORT: String(port),
      PROXY_BACKEND_URL: enclave,
      PROXY_LOG_LEVEL: 'error',
      PROXY_DRAIN_DELAY_SECS: String(DRAIN_DELAY),
      PROXY_API_KEY_FILE: join(secrets.path, 'api-key'),
      PROXY_ACCESS_KEYS_FILE: join(secrets.path, 'access-keys'),
      PROXY_CACHE_NAMESPACE_ROOT_FILE: join(secrets.path, 'cache-root'),
      PROXY_ACCESS_KEYS_ONLY: 'true',
    };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Of its process. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when the replica is ready. */
  async start(): Promise<void> {
    const program = fileURLToPath(new URL('../../dist/proxy.js', import.meta.url));
    this.#child = startChild(process.execPath, [...NODE_FLAGS, ...this.#flags, program], {
      PATH: process.env['PATH'],
      ...this.#environment,
    });
    await waitForLine(this.#child, /listening on/);
    await until(`${this.url} is ready`, async () => (await statusOf(`${this.url}/ready`)) === 200);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, signal);
  }
}

export class Balancer {
  readonly url: string;
  /** After how long it uses a replica that has returned, in milliseconds. */
  readonly returns: number;
  readonly #child: ChildProcess;

  private constructor(url: string, returns: number, child: ChildProcess) {
    this.url = url;
    this.returns = returns;
    this.#child = child;
  }

  /** @returns undefined if the program is not installed */
  static async start(name: BalancerName, replicas: readonly Replica[], folder: string): Promise<Balancer | undefined> {
    const { recipe, returns, args } = BALANCERS[name];
    const text = await readFile(new URL(`../../deploy/balancers/${recipe}`, import.meta.url), 'utf8');
    const [port = 0] = await freePorts(1);
    const file = join(folder, recipe);
    await writeFile(file, adaptRecipe(text, port, folder, replicas));
    const log = openSync(join(folder, `${name}.log`), 'a'); // nginx opens /dev/stdout, which must be a file
    const child = spawn(name, args(file), { stdio: ['ignore', log, log] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    try {
      await once(child, 'spawn');
    } catch {
      return undefined;
    }
    const balancer = new Balancer(`http://127.0.0.1:${port}`, returns, child);
    await until(`${name} serves`, async () => (await statusOf(`${balancer.url}/ready`)) === 200);
    return balancer;
  }

  async stop(): Promise<void> {
    await end(this.#child, 'SIGTERM');
  }
}

/** The recipe with the ports of this run. Its lines for the second replica are those for the first one with another address. */
function adaptRecipe(text: string, port: number, folder: string, replicas: readonly Replica[]): string {
  const lines = text.split('\n').flatMap((line) => {
    if (line.includes('192.0.2.12')) return [];
    if (!line.includes('192.0.2.11')) return [line];
    return replicas.map((replica, index) =>
      line
        .replace('replica1', `replica${index + 1}`)
        .replace('192.0.2.11', '127.0.0.1')
        .replace('14114', String(replica.port)),
    );
  });
  return lines
    .join('\n')
    .replace(/\b8080\b/, String(port))
    .replace('/run/nginx.pid', join(folder, 'nginx.pid'));
}

/** Ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

export async function until(label: string, isTrue: () => Promise<boolean>): Promise<void> {
  const begin = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - begin > DEADLINE) throw new Error(`Not within ${DEADLINE} ms: ${label}`);
    await setTimeout(50);
  }
}

/** The status of a GET request; 0 without a response. */
export async function statusOf(url: string, key?: string): Promise<number> {
  const headers = { connection: 'close', ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  return fetch(url, { headers }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}
