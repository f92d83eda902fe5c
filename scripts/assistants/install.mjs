// Installs releases of the assistants for the tests, each in a folder of its own. Together they take more than a
// gigabyte, so they are not dependencies of the project: each is installed when it is first needed, and kept.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'assistants');
const PACKAGES = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'));

/**
 * Installs what is missing.
 * @param {boolean} python also install the Python programs, which need python3 and its venv module
 * @returns {Record<string, { package: string, folder: string, missing?: string }>} by the assistant's ID;
 *   `missing` says in a sentence why it cannot run on this computer
 */
export function installAssistants({ python }) {
  const all = [
    ...Object.entries(PACKAGES.npm).map(([id, packages]) => [id, install(packages, fromNpm)]),
    ...Object.entries(python ? PACKAGES.python : {}).map(([id, packages]) => [id, install(packages, fromPyPi)]),
  ];
  return Object.fromEntries(all);
}

/** `load` returns undefined, or the reason for its failure. */
function install(packages, load) {
  const [name] = packages;
  const folder = join(FOLDER, name);
  /** Written last, so that an incomplete installation is repeated. */
  const marker = join(folder, 'installed');
  const wanted = packages.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return { package: name, folder };
  console.log(`Installing ${packages.join(' and ')} into .cache…`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const reason = load(folder, packages);
  if (reason !== undefined) {
    return { package: name, folder, missing: `${name} could not be installed: ${reason}` };
  }
  writeFileSync(marker, wanted);
  return { package: name, folder };
}

function fromNpm(folder, packages) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? ['npm'] : [process.execPath, npm];
  // The install scripts only copy the binary of the platform's package, which the tests run from its own place.
  const options = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return run(folder, ...command, 'install', ...packages, ...options);
}

function fromPyPi(folder, packages) {
  const pip = join(folder, 'bin', 'pip');
  return run(folder, 'python3', '-m', 'venv', '.') ?? run(folder, pip, 'install', '--quiet', ...packages);
}

/** Undefined on success, else the first lines of the error output. */
function run(cwd, command, ...args) {
  // Without the settings of the npm that runs this script.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const stdio = ['ignore', 'ignore', 'pipe'];
  const { status, stderr, error } = spawnSync(command, args, { cwd, stdio, encoding: 'utf8', env });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n', 2).join(', ');
}
