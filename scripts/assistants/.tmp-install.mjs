// Installs the assistants that the tests run, each release into a folder of its own. Together they take more than a
// gigabyte, so they are not dependencies of the project: each is installed when it is first needed, and kept.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, withoutNpm } from '../npm.mjs';

const FOLDER = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'assistants');
const PACKAGES = {"npm":{},"python":{"responses-python":["openai==3.54.0"],"anthropic-python":["anthropic==2.12.0"]}};
const STDIO = ['ignore', 'ignore', 'pipe'];

/**
 * Installs what is missing.
 * @param {{ python: boolean }} options `python`: also the programs in Python, which need python3 and its venv
 * @returns {Record<string, { package: string, folder: string, missing?: string }>} by the assistant's id; `missing` is a
 *   sentence that gives the reason why it cannot run here
 */
export function installAssistants({ python }) {
  const all = [
    ...Object.entries(PACKAGES.npm).map(([id, packages]) => [id, installOnce(packages, fromNpm)]),
    ...Object.entries(python ? PACKAGES.python : {}).map(([id, packages]) => [id, installOnce(packages, fromPyPi)]),
  ];
  return Object.fromEntries(all);
}

/** `install` returns undefined, or the reason why it failed. */
function installOnce(packages, install) {
  const [name] = packages;
  const folder = join(FOLDER, name);
  /** Written last: an interrupted installation is repeated. */
  const marker = join(folder, 'installed');
  const wanted = packages.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return { package: name, folder };
  console.log(`Installing ${packages.join(' and ')} into .cache (once)…`);
  const reason = install(folder, packages);
  if (reason !== undefined) return { package: name, folder, missing: `${name} could not be installed: ${reason}` };
  writeFileSync(marker, wanted);
  return { package: name, folder };
}

function fromNpm(folder, packages) {
  // The installation scripts of these packages only copy a platform's program, which the tests run where it is.
  return failureOf(installPackages(folder, packages, { options: ['--ignore-scripts'], stdio: STDIO }));
}

function fromPyPi(folder, packages) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) =>
    failureOf(spawnSync(command, args, { cwd: folder, stdio: STDIO, encoding: 'utf8', env: withoutNpm() }));
  const pip = join(folder, 'bin', 'pip');
  return run('python3', '-m', 'venv', '.') ?? run(pip, 'install', '--quiet', ...packages);
}

/** Undefined after a success, otherwise the first lines of the error. */
function failureOf({ status, stderr, error }) {
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n', 2).join(', ');
}
