// Runs the tests with real assistants: builds the proxy and installs the assistants first. --python adds those that need
// Python, --all-surroundings every row of the tables in test/support/assistants/surroundings; everything else is passed to
// mocha.
import { spawnSync } from 'node:child_process';
import { installAssistants } from './install.mjs';

const PYTHON = '--python';
const ALL_SURROUNDINGS = '--all-surroundings';
const python = process.argv.includes(PYTHON);
if (process.argv.includes(ALL_SURROUNDINGS)) process.env.ASSISTANTS_SURROUNDINGS = 'all';
const args = process.argv.slice(2).filter((argument) => argument !== PYTHON && argument !== ALL_SURROUNDINGS);
if (run('esbuild.mjs', '--quiet')) {
  process.env.ASSISTANTS_INSTALLED = JSON.stringify(installAssistants({ python }));
  if (run('scripts/mocha.mjs', 'assistants', ...args)) process.exit(0);
}
process.exit(1);

function run(...command) {
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status === 0;
}
