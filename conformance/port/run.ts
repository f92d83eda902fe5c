// Checks the model of the port with SPIN: node conformance/port/run.ts [NAME ...]
// Fails if a property does not hold, or if a planted error is not found. With names, runs only these properties or errors.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS, PROPERTIES } from './properties.ts';
import type { Property } from './properties.ts';

const MODEL = fileURLToPath(new URL('port.pml', import.meta.url));
/** In MiB. */
const MAX_MEMORY = 1000;

interface Result {
  readonly states: string;
  readonly depth: string;
  /** In MiB. */
  readonly memory: string;
  /** What the search has found; undefined: nothing. */
  readonly violation: string | undefined;
}

/** @throws Error if the search finds nothing and is not complete */
function check({ defines, cycles }: Omit<Property, 'name'>, optimization: '-O0' | '-O1'): Result {
  const folder = mkdtempSync(join(tmpdir(), 'port-model-'));
  const run = (command: string, ...args: readonly string[]) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`${command} has failed:\n${stdout}${stderr}`);
    return stdout;
  };
  try {
    run('spin', '-a', ...defines.map((define) => `-D${define}`), MODEL);
    run('gcc', '-w', optimization, `-DMEMLIM=${MAX_MEMORY}`, cycles ? '-DNP' : '-DSAFETY', '-o', 'pan', 'pan.c');
    const output = run('./pan', '-n', '-m100000', '-w22', ...(cycles ? ['-l'] : []));
    const find = (pattern: RegExp) => pattern.exec(output)?.[1]?.trim();
    const violation = find(/^pan:1: (.+?) \(at depth/m);
    const errors = find(/errors: (\d+)/);
    const isComplete = errors === '0' && !/Search not completed|max search depth too small/.test(output);
    if (violation === undefined && !isComplete) throw new Error(`The search is not complete:\n${output}`);
    return {
      states: find(/^ *(\d+) states, stored/m) ?? '?',
      depth: find(/depth reached (\d+)/) ?? '?',
      memory: find(/^ *(\d+)\.\d+\ttotal actual memory/m) ?? '?',
      violation,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version']).error === undefined;
}

if (!isInstalled('spin') || !isInstalled('gcc')) {
  console.error('The model needs SPIN and a C compiler. Install them: apt-get install spin gcc');
  process.exit(2);
}
const names = process.argv.slice(2);
const chosen = <T extends Pick<Property, 'name'>>(all: readonly T[]) =>
  all.filter(({ name }) => names.length === 0 || names.includes(name));

const failures: string[] = [];
const row = (...cells: readonly string[]) => {
  console.log(`| ${cells.join(' | ')} |`);
};
row('property', 'result', 'states', 'depth', 'MiB');
row('---', '---', '---:', '---:', '---:');
for (const { name, ...property } of chosen(PROPERTIES)) {
  const { states, depth, memory, violation } = check(property, '-O1');
  row(name, violation ?? 'holds', states, depth, memory);
  if (violation !== undefined) failures.push(`${name} does not hold`);
}
console.log('');
row('planted error', 'found by', 'states', 'depth');
row('---', '---', '---:', '---:');
for (const { name, define, by } of chosen(ERRORS)) {
  const property = PROPERTIES.find((one) => one.name === by);
  if (property === undefined) throw new Error(`There is no property ${by}`);
  const { states, depth, violation } = check({ ...property, defines: [...property.defines, define] }, '-O0'); // it is found soon
  row(name, violation === undefined ? `NOT FOUND by ${by}` : by, states, depth);
  if (violation === undefined) failures.push(`${name} was not found`);
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
