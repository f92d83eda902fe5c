// The tests with real assistants: builds the proxy, installs the assistants and runs the tests. `--python` adds the
// Python programs.
import { spawnSync } from 'node:child_process';
import { installAssistants } from './install.mjs';

run('esbuild.mjs', '--quiet');
const options = process.argv.slice(2).filter((option) => option !== '--python');
const installed = installAssistants({ python: process.argv.includes('--python') });
const mocha = ['node_modules/mocha/bin/mocha.js', '--config', 'test/assistants/mocharc.json', ...options];
const { status } = spawnSync(process.execPath, mocha, {
  stdio: 'inherit',
  env: { ...process.env, ASSISTANTS_INSTALLED: JSON.stringify(installed) },
});
process.exitCode = status ?? 1;

function run(...args) {
  const { status: built } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (built !== 0) process.exit(1);
}
