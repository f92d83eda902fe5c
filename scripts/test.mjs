// Everything that must hold, in the order of what fails fastest; one line with all counts at the end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-test-'));
const countsPath = join(folder, 'counts');
let passed = 0;
let failed = 0;

check('types', ['typescript/bin/tsc', '--noEmit']);
check('lint', ['eslint/bin/eslint.js', '.']);
check('format', ['prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']);
check('build', ['../esbuild.mjs', '--quiet']);
suite('mocha', ['mocha/bin/mocha.js', '--reporter', 'scripts/reporter.mjs']);
suite('assistants', ['../scripts/assistants/test.mjs', '--reporter', 'scripts/reporter.mjs']);
suite('VS Code', ['../scripts/vscode/test.mjs', '--reporter', 'scripts/reporter.mjs']);

rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function run(name, [script, ...args]) {
  console.log(`--- ${name}`);
  const { status } = spawnSync(process.execPath, [join('node_modules', script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS: countsPath },
  });
  return status === 0;
}

/** One thing that holds or does not. */
function check(name, command) {
  if (run(name, command)) passed++;
  else failed++;
}

/** Tests that are counted one by one. A suite that ends in any other way than by its tests has failed as well. */
function suite(name, command) {
  const before = counts().length;
  const succeeded = run(name, command);
  const added = counts().slice(before);
  const passes = added.reduce((sum, count) => sum + count.passes, 0);
  const failures = added.reduce((sum, count) => sum + count.failures, 0);
  passed += passes;
  failed += failures;
  if (passes === 0 || (!succeeded && failures === 0)) failed++;
}

function counts() {
  try {
    return readFileSync(countsPath, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
