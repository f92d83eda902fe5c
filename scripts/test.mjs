// Runs every check and test, the fastest first, and ends with one line that counts them all.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-test-'));
const countsPath = join(folder, 'counts');
let passed = 0;
let failed = 0;

const downloaded = once(spawn(process.execPath, ['scripts/download.mjs'], { stdio: 'ignore' }), 'exit');
check('types', 'node_modules/typescript/bin/tsc', '--noEmit');
check('types of the dashboard', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/dashboard/web');
check('types of its tests', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'test/dashboard');
check('lint', 'node_modules/eslint/bin/eslint.js', '.');
check('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.');
check('build', 'esbuild.mjs', '--quiet');
suite('unit and integration tests', 'scripts/mocha.mjs', 'unit');
suite('end-to-end tests', 'scripts/mocha.mjs', 'e2e');
await downloaded;
suite('dashboard', 'scripts/dashboard.mjs');
suite('assistants', 'scripts/assistants/test.mjs');
suite('VS Code', 'scripts/vscode/test.mjs');

rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Counts as one test. */
function check(name, script, ...args) {
  if (run(name, script, ...args)) passed++;
  else failed++;
}

/** Counts each of its tests. A suite that runs no test, or fails without a failed test, is one more failure. */
function suite(name, script, ...args) {
  const before = counts().length;
  const succeeded = run(name, script, ...args, '--reporter', 'scripts/reporter.mjs');
  const added = counts().slice(before);
  const passes = added.reduce((sum, count) => sum + count.passes, 0);
  const failures = added.reduce((sum, count) => sum + count.failures, 0);
  passed += passes;
  failed += failures;
  if (passes === 0 || (!succeeded && failures === 0)) failed++;
}

function run(name, script, ...args) {
  console.log(`--- ${name}`);
  const { status } = spawnSync(process.execPath, [script, ...args], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS: countsPath },
  });
  return status === 0;
}

/** What scripts/reporter.mjs has appended so far. */
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
