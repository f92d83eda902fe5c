// Installs packages of other programs, which are not dependencies of the project, each set into a folder of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, withoutNpm } from './npm.mjs';

const STDIO = ['ignore', 'ignore', 'pipe'];
const [SYSTEM_PYTHON, PYTHON_IN_FOLDER] =
  process.platform === 'win32' ? ['python', 'Scripts/python.exe'] : ['python3', 'bin/python'];

/**
 * Installs packages when they are first needed, and keeps them.
 * @param {string} folder replaced if it has other packages
 * @param {string[]} packages with exact versions
 * @param {(folder: string, packages: string[]) => string | undefined} install `fromNpm` or `fromPyPi`
 * @returns {string | undefined} the reason why it failed
 */
export function installOnce(folder, packages, install) {
  /** Written last: an interrupted installation is repeated. */
  const marker = join(folder, 'installed');
  const wanted = packages.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return undefined;
  console.log(`Installing ${packages.join(' and ')} into .cache (once)…`);
  const reason = install(folder, packages);
  if (reason === undefined) writeFileSync(marker, wanted);
  return reason;
}

export function fromNpm(folder, packages) {
  // The installation scripts of these packages only copy a platform's program, which the tests run where it is.
  return failureOf(installPackages(folder, packages, { options: ['--ignore-scripts'], stdio: STDIO }));
}

/** Into a virtual environment of Python. */
export function fromPyPi(folder, packages) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) =>
    failureOf(spawnSync(command, args, { cwd: folder, stdio: STDIO, encoding: 'utf8', env: withoutNpm() }));
  const noPython = run(SYSTEM_PYTHON, '-c', 'import venv, ensurepip');
  if (noPython !== undefined) return `Python 3 with venv is needed (on Debian and Ubuntu: python3-venv). ${noPython}`;
  return run(SYSTEM_PYTHON, '-m', 'venv', '.') ?? run(pythonIn(folder), '-m', 'pip', 'install', '--quiet', ...packages);
}

/** The Python of a folder in which `fromPyPi` has installed packages. */
export function pythonIn(folder) {
  return join(folder, PYTHON_IN_FOLDER);
}

/** Undefined after a success, otherwise the first lines of the error. */
function failureOf({ status, stderr, error }) {
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n', 2).join(', ');
}
