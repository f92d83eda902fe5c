// The processes of the soak: an enclave, two proxies of the command line, and two windows that share one.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/supervisor/freePort.ts';
import { PROXY } from '../../test/support/e2e/process.ts';
import { Scope } from '../../test/support/e2e/scope.ts';
import { EditorWindow, makeVault } from '../../test/support/editorWindow.ts';
import { eventually } from '../../test/support/withTimeout.ts';
import { end, waitForLine } from '../processes/target.ts';
import { Replica, SecretFolder, newAccessKey, statusOf } from '../replicas/fleet.ts';
import type { EnclaveOrder } from './enclave.ts';

export class Enclave {
  readonly port: number;
  #child: ChildProcess | undefined;
  #earlier = 0;
  #handshakes = 0;

  constructor(port: number) {
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Of all its processes so far; those of the last second of each may be missing. */
  get handshakes(): number {
    return this.#earlier + this.#handshakes;
  }

  async start(): Promise<void> {
    const program = fileURLToPath(new URL('enclave.ts', import.meta.url));
    this.#child = fork(program, [String(this.port)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.#child.on('message', (count: number) => (this.#handshakes = count));
    await waitForLine(this.#child, /listening on/);
  }

  order(order: EnclaveOrder): void {
    this.#child?.send(order);
  }

  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    await end(this.#child, 'SIGKILL');
    this.#earlier += this.#handshakes;
    this.#handshakes = 0;
  }
}

/** A proxy of the command line, and the files of its keys. */
export interface Standing {
  readonly replica: Replica;
  readonly secrets: SecretFolder;
  readonly key: string;
}

export interface Fleet {
  readonly enclave: Enclave;
  /** Never ends. */
  readonly steady: Standing;
  readonly killed: Standing;
  readonly windows: readonly EditorWindow[];
  /** Of the proxy that the windows share. */
  readonly windowsUrl: string;
  readonly windowsKey: string;
  close(): Promise<void>;
}

/** @param folder gets a file with the samples of the probe */
export async function startFleet(folder: string): Promise<Fleet> {
  const preload = join(folder, 'preload.cjs');
  const probe = fileURLToPath(new URL('probe.cjs', import.meta.url));
  const source = `globalThis.soakFolder = ${JSON.stringify(folder)};\nrequire(${JSON.stringify(probe)});\n`;
  writeFileSync(preload, source);
  const scope = new Scope();
  const enclave = new Enclave(await freePort());
  await enclave.start();
  const stand = async (): Promise<Standing> => {
    const key = newAccessKey();
    const secrets = await SecretFolder.create('dev-soak', [`clients=${key}`]);
    const replica = new Replica(await freePort(), enclave.url, secrets, ['--require', preload]);
    await replica.start();
    return { replica, secrets, key };
  };
  const [steady, killed] = [await stand(), await stand()];
  const vault = makeVault();
  const port = await freePort();
  const windows = [0, 1].map(() =>
    EditorWindow.open(
      scope,
      { backendUrl: enclave.url, port },
      { vault, source: `${source}require(${JSON.stringify(PROXY)});` },
    ),
  );
  for (const window of windows) await window.start();
  return {
    enclave,
    steady,
    killed,
    windows,
    windowsUrl: `http://127.0.0.1:${port}`,
    windowsKey: vault.ownKey,
    close: async () => {
      await scope.close();
      for (const { replica } of [steady, killed]) await replica.stop('SIGTERM');
      await enclave.kill();
    },
  };
}

export function urlsOf({ steady, killed, windowsUrl }: Fleet): readonly string[] {
  return [steady.replica.url, killed.replica.url, windowsUrl];
}

export async function isReady(url: string): Promise<void> {
  await eventually(`${url} is ready`, async () => (await statusOf(`${url}/ready`)) === 200);
}

/** The window whose process serves; undefined: none at the moment. */
export function ownerOf({ windows }: Fleet): EditorWindow | undefined {
  return windows.find(({ supervisor: { status } }) => status.kind === 'running' && !status.shared);
}
