// Changes the code in many small ways, one at a time, and lists the changes that no unit test notices (mutation testing, with
// Stryker): npm run mutation -- [AREA...]
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromNpm, installOnce } from './packages.mjs';
import { SURVIVORS } from './survivors.mjs';

const FOLDER = join('.cache', 'mutation');
/** Stryker's runner does not know mocha 12 yet. It finds this mocha, because the copy of the project is in the same folder. */
const PACKAGES = ['@stryker-mutator/core@10.0.0', '@stryker-mutator/mocha-runner@10.0.0', 'mocha@11.8.0'];
const COPIED = ['src', 'test', 'conformance', 'bench', 'package.json', 'tsconfig.json'];

/** What is changed, and the tests that must notice it. `decides`: the files about security, where each survivor needs a reason. */
const AREAS = {
  session: {
    decides: ['src/session/'],
    mutate: ['src/session/**/*.ts', '!src/session/wasmCode.ts'],
    spec: [
      'test/unit/session/**/*.test.ts',
      'test/integration/transportVectors.test.ts',
      'test/unit/proxy/backend/evidenceKeeper.test.ts',
    ],
  },
  attestation: {
    decides: ['src/attestation/'],
    mutate: ['src/attestation/**/*.ts'],
    spec: ['test/unit/attestation/**/*.test.ts', 'test/integration/conformance.nitro.test.ts'],
    // These read the source, or do the work of mutation testing themselves.
    without: ['is what its generator writes', 'only one check refuses', 'only for refusals that exist'],
  },
  dialects: { mutate: ['src/dialects/**/*.ts'], spec: ['test/unit/dialects/**/*.test.ts'] },
  server: {
    decides: [
      'accessKeys',
      'clientLimits',
      'guard',
      'requestHead',
      'requestTarget',
      'secretSearch',
      'tls',
      'windowRequests',
    ].map((name) => `src/proxy/server/${name}.ts`),
    mutate: ['src/proxy/server/**/*.ts'],
    spec: ['test/unit/proxy/server/**/*.test.ts'],
  },
  relay: {
    decides: ['src/proxy/relay/modelRule.ts'],
    mutate: ['src/proxy/relay/**/*.ts'],
    spec: ['test/unit/proxy/relay/**/*.test.ts', 'test/unit/proxy/server/server.test.ts'],
  },
};

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.find((name) => !Object.hasOwn(AREAS, name));
if (unknown !== undefined) fail(`There is no area ${unknown}: use ${Object.keys(AREAS).join(', ')}`);
const reason = installOnce(FOLDER, PACKAGES, fromNpm);
if (reason !== undefined) fail(reason);
for (const name of positionals.length === 0 ? Object.keys(AREAS) : positionals) report(name, run(name));

/** Runs the tests of an area once for each change, in a copy of the project, and returns the changes with their results. */
function run(name) {
  const project = join(FOLDER, 'project');
  rmSync(project, { recursive: true, force: true });
  for (const path of COPIED) cpSync(path, join(project, path), { recursive: true });
  const { mutate, spec, without = [] } = AREAS[name];
  const config = {
    testRunner: 'mocha',
    mochaOptions: {
      'no-config': true,
      'no-package': true,
      spec,
      require: ['test/support/hooks.ts'],
      ...(without.length > 0 && { grep: `^(?!.*(?:${without.join('|')}))` }),
    },
    mutate,
    coverageAnalysis: 'perTest', // each change meets only the tests that reach it
    ignoreStatic: true, // what runs only while a file is imported would need all tests, each in a process of its own
    dryRunTimeoutMinutes: 30, // the first run must end on a busy machine too
    timeoutMS: 20_000, // as must a test without an endless loop; one with it counts as noticed
    inPlace: true,
    disableTypeChecks: false,
    tsconfigFile: 'none',
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: 'mutation.json' },
  };
  writeFileSync(join(project, 'stryker.config.json'), JSON.stringify(config));
  const stryker = join('..', 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const { status } = spawnSync(process.execPath, [stryker, 'run'], { cwd: project, stdio: 'inherit' });
  if (status !== 0) fail(`Stryker ended with exit code ${status}`);
  return JSON.parse(readFileSync(join(project, 'mutation.json'), 'utf8')).files;
}

function report(name, files) {
  const { decides = [] } = AREAS[name];
  const mutants = Object.entries(files).flatMap(([path, file]) =>
    file.mutants.map((mutant) => ({ path, file, mutant })),
  );
  const count = (...statuses) => mutants.filter(({ mutant }) => statuses.includes(mutant.status)).length;
  const [noticed, missed] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')];
  const used = new Set();
  let [unexplained, aboutSecurity] = [0, 0];
  for (const { path, file, mutant } of mutants) {
    if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') continue;
    const change = changeOf(file.source, mutant);
    const reason = SURVIVORS[path]?.find((entry) => isFor(entry, file.source, change));
    used.add(reason);
    if (reason !== undefined || (mutant.mutatorName === 'StringLiteral' && change.from.includes(' '))) continue;
    unexplained++;
    if (decides.some((start) => path.startsWith(start))) aboutSecurity++;
    const [from, to] = [change.from, change.to].map((code) => code.split('\n', 1)[0]);
    console.log(`${path}:${mutant.location.start.line}  ${from}  ->  ${to}  (${mutant.status})`);
  }
  for (const path of Object.keys(files)) {
    for (const entry of SURVIVORS[path] ?? []) if (!used.has(entry)) console.log(`${path}: ${entry[0]} is noticed now`);
  }
  const score = ((100 * noticed) / (noticed + missed)).toFixed(1);
  const all = noticed + missed;
  console.log(
    `${name}: ${score} % noticed (${noticed} of ${all}; ${count('Ignored')} not tried), ${unexplained} unexplained, ${aboutSecurity} of them about security\n`,
  );
  if (aboutSecurity > 0) process.exitCode = 1;
}

/** The code that a mutant changes, what takes its place, and where it is in the source. */
function changeOf(source, { location: { start, end }, replacement = '' }) {
  const lines = source.split('\n');
  const indexOf = ({ line, column }) => lines.slice(0, line - 1).join('\n').length + Math.min(line - 1, 1) + column - 1;
  const [at, behind] = [indexOf(start), indexOf(end)];
  return { at, behind, from: source.slice(at, behind), to: replacement };
}

/** Whether an entry of `SURVIVORS` is for this change: in this function, or of this code, which may have more around it. */
function isFor([code, to, reason], source, { at, behind, to: replacement }) {
  if (reason === undefined) {
    const begin = source.indexOf(`function ${code.slice(0, -1)}`);
    return begin !== -1 && at > begin && behind < source.indexOf('\n}', begin);
  }
  const changed = source.slice(0, at) + replacement + source.slice(behind);
  for (let index = source.indexOf(code); index !== -1; index = source.indexOf(code, index + 1)) {
    if (changed === source.slice(0, index) + to + source.slice(index + code.length)) return true;
  }
  return false;
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
