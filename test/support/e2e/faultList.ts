import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { ENCLAVE, environment } from './process.ts';

/** The names of all faults that `dist/dev-enclave.js --faults list` prints, by group title. */
export function listFaults(): ReadonlyMap<string, readonly string[]> {
  const { stdout, status } = spawnSync(process.execPath, [ENCLAVE, '--faults', 'list'], {
    encoding: 'utf8',
    env: environment(),
  });
  assert.equal(status, 0);
  const groups = stdout.trimEnd().split('\n\n');
  return new Map(
    groups.map((group) => {
      const [title = '', ...lines] = group.split('\n');
      return [title.replace(/:$/, ''), lines.map((line) => line.trim().split(' ', 1)[0] ?? '')];
    }),
  );
}
