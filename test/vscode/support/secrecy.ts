// Where a key could have been left behind: on command lines, in environments, in files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assertNone } from '../../e2e/support/needles.ts';
import type { Editor } from './editor.ts';
import { allProcesses } from './processes.ts';

const ACCESS_KEY = /sealed-[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;

/**
 * Fails if any of these secrets, or any access key at all, is on a command line or in an environment on this computer, or
 * in a file that VS Code has written: settings, logs, state, and what the browser keeps.
 */
export function assertKeptSecret(secrets: Readonly<Record<string, string>>, { profile }: Editor): void {
  const look = (text: string, where: string) => {
    assertNone(secrets, text, where);
    assert.doesNotMatch(text, ACCESS_KEY, where);
  };
  for (const { pid, command } of allProcesses()) {
    if (pid === process.pid) continue;
    look(command, `the command line of process ${pid}`);
    look(readEnvironment(pid), `the environment of process ${pid}`);
  }
  const files = profile.files();
  assert.ok(
    files.some((path) => path.endsWith('.log')),
    'there are logs',
  );
  for (const path of files) look(readFileSync(path, 'latin1'), path);
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // it has just ended
  }
}
