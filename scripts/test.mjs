// Runs every check and test, the fastest first, and ends with the names of those that failed and one line that counts all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-test-'));
let passed = 0;
let failed = 0;
/** What failed, as it is shown at the end. */
const red = [];

const downloaded = once(spawn(process.execPath, ['scripts/download.mjs'], { stdio: 'ignore' }), 'exit');
await check('build', 'esbuild.mjs', '--quiet');
await Promise.all([checkAndTestUnits(), runBeside('end-to-end tests', 'scripts/mocha.mjs', 'e2e')]);
await downloaded;
await suite('dashboard', 'scripts/dashboard.mjs');
await suite('assistants', 'scripts/assistants/test.mjs');
await suite('VS Code', 'scripts/vscode/test.mjs');

rmSync(folder, { recursive: true });
if (red.length > 0) console.log(`Failed:\n${red.map((name) => `  ${name}\n`).join('')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function checkAndTestUnits() {
  await check('types', 'node_modules/typescript/bin/tsc', '--noEmit');
  await check('types of the dashboard', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/dashboard/web');
  await check('types of its tests', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'test/dashboard');
  await check('lint', 'node_modules/eslint/bin/eslint.js', '.');
  await check('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.');
  await suite('unit and integration tests', 'scripts/mocha.mjs', 'unit');
}

/** Runs a suite while others run: most of them use one core only. Prints its output when it has ended. */
async function runBeside(name, ...command) {
  console.log(`--- ${name}, in the background`);
  const path = join(folder, 'output');
  const output = openSync(path, 'w');
  const ended = await start(name, command, output);
  closeSync(output);
  console.log(`--- ${name}`);
  process.stdout.write(readFileSync(path));
  count(name, ended);
}

/** Counts as one test. */
async function check(name, ...command) {
  console.log(`--- ${name}`);
  if (await run(command, 'inherit')) passed++;
  else fail(name);
}

async function suite(name, ...command) {
  console.log(`--- ${name}`);
  count(name, await start(name, command, 'inherit'));
}

/** Runs a suite. Resolves to what it says about itself, and what scripts/reporter.mjs has counted. */
async function start(name, command, output) {
  const path = join(folder, `${name} counts`);
  const succeeded = await run([...command, '--reporter', 'scripts/reporter.mjs'], output, path);
  try {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    return { succeeded, counts: lines.map((line) => JSON.parse(line)) };
  } catch {
    return { succeeded, counts: [] };
  }
}

/** Counts each test of a suite. A suite that runs no test, or fails without a failed test, is one more failure. */
function count(name, { succeeded, counts }) {
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

async function run(command, output, countsPath = '') {
  const env = { ...process.env, TEST_COUNTS: countsPath };
  const [status] = await once(spawn(process.execPath, command, { stdio: ['inherit', output, output], env }), 'exit');
  return status === 0;
}
