// Installs a real VS Code for computers without a desktop: code-server, with the workbench and the extension host. It is
// big and compiles for minutes, so it is not a dependency: it is installed when it is first needed, and kept.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../npm.mjs';

const VERSION = '4.139.1';
const FOLDER = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'code-server');
/** Written last: an interrupted installation is repeated. */
const MARKER = join(FOLDER, 'installed');
const SERVER = join(FOLDER, 'node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js');
/** code-server's front, which starts VS Code's server and keeps secrets across a reload of the page. */
export const FRONT = join(FOLDER, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
/** Its native modules, SQLite among them, compile three times as fast without optimization, which no test needs. */
const COMPILER = { CFLAGS: '-O0', CXXFLAGS: '-O0' };
const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * VS Code's own server and a browser to show it.
 * @returns {{ server: string, browser: string }} paths
 * @throws Error with one sentence that names what to install
 */
export function installCodeServer() {
  const browser = installBrowser();
  return { server: installServer(), browser };
}

/**
 * @returns {string} the path of a Chromium
 * @throws Error with one sentence that names what to install
 */
export function installBrowser() {
  const browser = findBrowser() ?? (installFromDebian(['chromium']), findBrowser());
  if (browser === undefined) throw new Error('Install chromium, or set CHROMIUM_PATH to a Chromium.');
  return browser;
}

/**
 * VS Code's own server, without a browser.
 * @returns {string} the path of the server
 * @throws Error with one sentence that names what to install
 */
export function installServer() {
  if (!isInstalled()) install();
  return SERVER;
}

function findBrowser() {
  return [process.env.CHROMIUM_PATH, ...BROWSERS].find((path) => path !== undefined && existsSync(path));
}

function isInstalled() {
  return existsSync(MARKER) && readFileSync(MARKER, 'utf8') === VERSION && runs();
}

function install() {
  if (!hasKerberos()) installFromDebian(['libkrb5-dev', 'g++', 'make', 'python3']);
  console.log(`Installing code-server ${VERSION} into .cache (once; takes some minutes)…`);
  const { status } = installPackages(FOLDER, [`code-server@${VERSION}`], {
    stdio: 'inherit',
    env: COMPILER,
  });
  if (status !== 0 || !runs()) {
    throw new Error('code-server could not be installed. It needs the npm registry, a C++ compiler and libkrb5-dev.');
  }
  writeFileSync(MARKER, VERSION);
}

function runs() {
  return existsSync(SERVER) && spawnSync(process.execPath, [SERVER, '--version'], { stdio: 'ignore' }).status === 0;
}

function hasKerberos() {
  return process.platform !== 'linux' || spawnSync('krb5-config', ['--libs'], { stdio: 'ignore' }).status === 0;
}

/** Installs system packages where this process is allowed to. */
function installFromDebian(names) {
  const needed = `VS Code with a browser needs ${names.join(', ')}.`;
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!mayInstall) throw new Error(`${needed} Install them with the system's package manager.`);
  console.log(`Installing ${names.join(', ')}…`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...names]]) {
    const { status } = spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
    if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed. ${needed}`);
  }
}
