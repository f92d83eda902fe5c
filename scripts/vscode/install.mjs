// A real VS Code for machines without a desktop: code-server carries the workbench and the extension host. It is big and
// compiles for minutes, so it is no dependency of the project: it is installed the first time it is needed, and kept.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '4.139.1';
const FOLDER = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'code-server');
/** Written last, so that an installation that broke off is done anew. */
const MARKER = join(FOLDER, 'installed');
const SERVER = join(FOLDER, 'node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js');
const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * VS Code's own server and a browser to show it.
 * @returns {{ server: string, browser: string }} paths
 * @throws Error with one sentence about what has to be installed
 */
export function installCodeServer() {
  const browser = findBrowser() ?? (installPackages(['chromium']), findBrowser());
  if (browser === undefined) throw new Error('Install chromium, or name a Chromium in CHROMIUM_PATH.');
  if (!isInstalled()) install();
  return { server: SERVER, browser };
}

function findBrowser() {
  return [process.env.CHROMIUM_PATH, ...BROWSERS].find((path) => path !== undefined && existsSync(path));
}

function isInstalled() {
  if (existsSync(MARKER)) return readFileSync(MARKER, 'utf8') === VERSION && runs();
  return false;
}

function install() {
  if (!hasKerberos()) installPackages(['libkrb5-dev', 'g++', 'make', 'python3']);
  console.log(`Installing code-server ${VERSION} into .cache, once: this takes some minutes ...`);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), `{ "private": true }\n`);
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? ['npm'] : [process.execPath, npm];
  const args = ['install', '--save-exact', `code-server@${VERSION}`, '--no-audit', '--no-fund', '--loglevel=error'];
  // As a person would call it there: not with the settings of the npm that runs this script.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { status } = spawnSync(command[0], [...command.slice(1), ...args], { cwd: FOLDER, stdio: 'inherit', env });
  if (status !== 0 || !runs()) {
    throw new Error('code-server could not be installed: it needs the registry, a C++ compiler and libkrb5-dev.');
  }
  writeFileSync(MARKER, VERSION);
}

function runs() {
  return existsSync(SERVER) && spawnSync(process.execPath, [SERVER, '--version'], { stdio: 'ignore' }).status === 0;
}

function hasKerberos() {
  return process.platform !== 'linux' || spawnSync('krb5-config', ['--libs'], { stdio: 'ignore' }).status === 0;
}

/** Debian's, where we may. */
function installPackages(names) {
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!mayInstall) {
    throw new Error(`The tests in VS Code need ${names.join(', ')}: install them with the system's package manager.`);
  }
  console.log(`Installing ${names.join(', ')} ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...names]]) {
    const { status } = spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
    if (status !== 0)
      throw new Error(`apt-get ${args.join(' ')} failed; the tests in VS Code need ${names.join(', ')}.`);
  }
}
