import { renameSync, writeFileSync } from 'node:fs';
// VS Code loads this module as `extensionTestsPath`. It runs mocha inside the extension host and writes the results to a
// file.
import { join } from 'node:path';
import Mocha from 'mocha';
import { DEADLINE } from '../../support/withTimeout.ts';
import type { RunResults } from './run.ts';
import { folder } from './surroundings.ts';

export async function run(): Promise<void> {
  const lines: string[] = [];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 2 * DEADLINE,
    forbidOnly: true,
    forbidPending: true,
    reporter: 'spec',
  });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./activation.test.ts');
  await import('./chat.test.ts');
  await import('./lm.test.ts');
  await import('./process.test.ts');
  await import('./backend.test.ts');
  await import('./settings.test.ts');
  await import('./terminal.test.ts');
  await import('./port.test.ts');
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', (test) => lines.push(`  ✔ ${test.fullTitle()} (${test.duration ?? 0} ms)`));
    runner.on('fail', (test, error: unknown) => {
      lines.push(`  ✖ ${test.fullTitle()}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    });
  });
  const results: RunResults = {
    passes: lines.filter((line) => line.startsWith('  ✔')).length,
    failures,
    report: lines.join('\n'),
  };
  const path = join(folder(), 'results.json');
  writeFileSync(`${path}.new`, JSON.stringify(results));
  renameSync(`${path}.new`, path); // atomic: the reader never sees half of it
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
