// Searches the places where a key could have been left: command lines, environments and files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assertNoSecretLeaks } from '../e2e/secretLeaks.ts';
import type { Editor } from './editor.ts';
import { allProcesses } from './processes.ts';
import type { ProcessFacts } from './processes.ts';

const ACCESS_KEY = /sealed-[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;

/**
 * Fails if one of these secrets is on a command line or in an environment of any process on this computer, or in a file
 * that VS Code has written: settings, logs, state and browser data. Processes that the tests have started and these files
 * must not contain any access key at all.
 */
export function assertKeptSecret(secrets: Readonly<Record<string, string>>, { profile }: Editor): void {
  const processes = allProcesses();
  for (const { pid, command } of processes) {
    if (pid === process.pid) continue;
    const environment = readEnvironment(pid);
    assertNoSecretLeaks(secrets, command, `the command line of process ${pid}`);
    assertNoSecretLeaks(secrets, environment, `the environment of process ${pid}`);
    if (isDescendant(pid, processes)) assert.doesNotMatch(command + environment, ACCESS_KEY, `process ${pid}`);
  }
  const files = profile.files();
  assert.ok(
    files.some((path) => path.endsWith('.log')),
    'there are logs',
  );
  for (const path of files) {
    const text = readIfThere(path);
    assertNoSecretLeaks(secrets, text, path);
    assert.doesNotMatch(text, ACCESS_KEY, path);
  }
}

/** Whether this process has started it, directly or not. */
function isDescendant(pid: number, processes: readonly ProcessFacts[]): boolean {
  const parent = processes.find((facts) => facts.pid === pid)?.parent;
  return parent !== undefined && (parent === process.pid || isDescendant(parent, processes));
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // the process has just ended
  }
}

/** The editor may delete files, such as its locks, while they are read. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
