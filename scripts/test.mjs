// Runs every check and test, and ends with the names of those that failed and one line that counts all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-test-'));
let passed = 0;
let failed = 0;
/** What failed, as it is shown at the end. */
const red = [];

await check('build', 'esbuild.mjs', '--quiet');
const editor = download('editor');
const assistants = editor.then(() => download('assistants'));
// Side by side: most suites wait more than they compute.
await Promise.all([
  editor.then(() => suite('VS Code', 'scripts/vscode/test.mjs')),
  suite('end-to-end tests', 'scripts/mocha.mjs', 'e2e')
    .then(() => editor)
    .then(() => suite('dashboard', 'scripts/dashboard.mjs')),
  checkAndTestUnits()
    .then(() => assistants)
    .then(() => suite('assistants', 'scripts/assistants/test.mjs')),
]);

rmSync(folder, { recursive: true });
if (red.length > 0) console.log(`Failed:\n${red.map((name) => `  ${name}\n`).join('')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function download(what) {
  return once(spawn(process.execPath, ['scripts/download.mjs', what], { stdio: 'ignore' }), 'exit');
}

async function checkAndTestUnits() {
  await check('types', 'node_modules/typescript/bin/tsc', '--noEmit');
  await check('types of the dashboard', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/dashboard/web');
  await check('types of its tests', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'test/dashboard');
  await check('lint', 'node_modules/eslint/bin/eslint.js', '.');
  await check('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.');
  await suite('unit and integration tests', 'scripts/mocha.mjs', 'unit');
}

/** Counts as one test. */
async function check(name, ...command) {
  if (await run(name, command)) passed++;
  else fail(name);
}

/**
 * Runs a suite, and counts each of its tests, as scripts/reporter.mjs has. A suite that runs no test, or fails without a
 * failed test, is one more failure.
 */
async function suite(name, ...command) {
  const path = join(folder, `${name} counts`);
  const succeeded = await run(name, [...command, '--reporter', 'scripts/reporter.mjs'], path);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const counts = lines.map((line) => JSON.parse(line));
  const passes = counts.reduce((sum, each) => sum + each.passes, 0);
  const failures = counts.reduce((sum, each) => sum + each.failures, 0);
  passed += passes;
  failed += failures;
  red.push(...counts.flatMap((each) => each.failed ?? []).map((test) => `${name}: ${test}`));
  if (passes === 0 || (!succeeded && failures === 0)) fail(name);
}

function fail(name) {
  failed++;
  red.push(name);
}

/** Runs a command, and prints its output and its duration when it has ended. Resolves to whether it succeeded. */
async function run(name, command, countsPath = '') {
  const path = join(folder, name);
  const output = openSync(path, 'w');
  const started = Date.now();
  const env = { ...process.env, TEST_COUNTS: countsPath };
  const [status] = await once(spawn(process.execPath, command, { stdio: ['ignore', output, output], env }), 'exit');
  closeSync(output);
  console.log(`--- ${name}: ${Math.round((Date.now() - started) / 1000)} s`);
  process.stdout.write(readFileSync(path));
  return status === 0;
}
