// Support for the tests inside the extension host.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import type { RequestEnding } from '../../../src/devEnclave/transport/journal.ts';
import type {
  SealedProxyApi,
  SealedProxyConnection,
  SealedProxyStatus,
} from '../../../src/extension/features/api/apiTypes.ts';
import type { ProcessFacts } from '../../support/vscode/processes.ts';
import { allProcesses } from '../../support/vscode/processes.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';
import type { RunFacts } from './run.ts';

export const PUBLISHED = 'sealed-proxy.sealed-proxy';

/** The folder that is open in this window. */
export function folder(): string {
  const path = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (path === undefined) throw new Error('The window has no folder open');
  return path;
}

export function facts(): RunFacts {
  return JSON.parse(readFileSync(join(folder(), 'run.json'), 'utf8')) as RunFacts;
}

/** The API as another extension gets it. */
export async function api(): Promise<SealedProxyApi> {
  const extension = vscode.extensions.getExtension<SealedProxyApi>(PUBLISHED);
  if (extension === undefined) throw new Error('Sealed Proxy is not installed');
  return extension.activate();
}

/** Waits for a status that `accepts` accepts. */
export async function statusThat(
  label: string,
  accepts: (status: SealedProxyStatus) => boolean,
): Promise<SealedProxyStatus> {
  const exports = await api();
  if (accepts(exports.status)) return exports.status;
  let subscription: { dispose(): void } | undefined;
  const seen: string[] = [exports.status.state];
  const changed = new Promise<SealedProxyStatus>((resolve) => {
    subscription = exports.onDidChangeStatus((next) => {
      seen.push(next.state);
      if (accepts(next)) resolve(next);
    });
  });
  try {
    return await withTimeout(label, DEADLINE, changed);
  } catch (cause) {
    throw new Error(`Waited for ${label}; saw ${seen.join(', ')}`, { cause });
  } finally {
    subscription?.dispose();
  }
}

export function state(name: SealedProxyStatus['state']): Promise<SealedProxyStatus> {
  return statusThat(name, (status) => status.state === name);
}

export async function connection(): Promise<SealedProxyConnection> {
  return (await api()).getConnection(facts().client);
}

/** Waits until the enclave notices the next cancelled request. */
export async function nextCancellation(): Promise<void> {
  const before = cancellations();
  const watcher = watch(facts().record);
  const noticed = new Promise<void>((resolve) => {
    watcher.on('change', () => {
      if (cancellations() > before) resolve();
    });
  });
  try {
    await withTimeout('the enclave to notice', DEADLINE, noticed);
  } finally {
    watcher.close();
  }
}

/** How many requests their clients have cancelled. */
function cancellations(): number {
  const lines = readFileSync(facts().record, 'utf8').split('\n').slice(0, -1);
  return lines.filter((line) => (JSON.parse(line) as RequestEnding).ended === 'client-cancelled').length;
}

/** The proxy process of this extension host. */
export function child(): ProcessFacts {
  const [found, ...others] = children();
  if (found === undefined || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} proxies run`);
  return found;
}

export function children(): ProcessFacts[] {
  return allProcesses().filter(({ parent, command }) => parent === process.pid && command.includes('proxy.js'));
}

/** Runs a command without waiting for its dialogs. */
export function run(command: string): void {
  void vscode.commands.executeCommand(`sealedProxy.${command}`);
}

/** Writes a setting; undefined removes it. */
export async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('sealedProxy').update(name, value, vscode.ConfigurationTarget.Global);
}

/** Does something that restarts the proxy, and waits until it is connected again. */
export async function restartedBy(act: () => Promise<unknown>): Promise<SealedProxyStatus> {
  const starting = statusThat('a new start', (status) => status.state === 'starting');
  await act();
  await starting;
  return state('connected');
}

/** Starts a development enclave for one test. */
export async function startEnclave(
  port = 0,
  ...more: string[]
): Promise<{ child: ChildProcess; url: string; port: number }> {
  const enclave = spawn(process.execPath, [facts().enclave, '--port', String(port), '--pace', '0', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const [line] = (await withTimeout(
    'the enclave',
    DEADLINE,
    once(createInterface({ input: enclave.stdout }), 'line'),
  )) as [string];
  const url = line.replace('enclave listening on ', '');
  return { child: enclave, url, port: Number(new URL(url).port) };
}

export async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await withTimeout('the end of a process', DEADLINE, ended);
}
