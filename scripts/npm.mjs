// Starts npm from scripts, which npm itself may have started.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Runs an npm command to its end: the npm that started this script, or else the one in PATH, on the Node of this script.
 * That npm may itself run on another Node, which some packages refuse.
 * @param {string[]} args the command and its options
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function npm(args, options) {
  const { npm_execpath: script } = process.env;
  const all = { encoding: 'utf8', ...options };
  if (script !== undefined) return spawnSync(process.execPath, [script, ...args, ...QUIET], all);
  return spawnSync('npm', [...args, ...QUIET], { ...all, shell: process.platform === 'win32' });
}

/**
 * Installs packages into a new folder of their own, outside the project's dependencies.
 * @param {string} folder replaced if it exists
 * @param {string[]} packages with exact versions
 * @param {{ options?: string[], stdio: import('node:child_process').StdioOptions, env?: Record<string, string> }} further
 *   options of `npm install`, and additional variables
 */
export function installPackages(folder, packages, { options = [], stdio, env = {} }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  return npm(['install', '--save-exact', ...options, ...packages], {
    cwd: folder,
    stdio,
    env: { ...withoutNpm(), ...env },
  });
}

/** The environment without the variables of the npm that started this script: they point npm to the project's folder. */
export function withoutNpm() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}
