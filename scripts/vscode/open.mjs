// Opens a real VS Code in the browser, with the packed extension installed and configured for a development enclave.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { keep } from '../children.mjs';
import { FRONT, installServer } from './install.mjs';
import { makeDemo } from './packages.mjs';

const FOLDER = resolve('.cache', 'vscode-demo');
const USER_DATA = join(FOLDER, 'user');
const EXTENSIONS = join(FOLDER, 'extensions');
const PROJECT = join(FOLDER, 'shop');
/** Of their own: assistants that are connected in the demonstration are not those of the user. */
const HOME = join(FOLDER, 'home');

/**
 * @param {string} backendUrl the address of the development enclave
 * @returns {Promise<{ url: string }>} the address to open in the browser
 */
export async function openEditor(backendUrl) {
  installServer();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  cpSync('scripts/vscode/demo/project', PROJECT, { recursive: true });
  await writeSettings(backendUrl);
  const vsix = await packDemo();
  run(['--install-extension', vsix]);
  return { url: await serve() };
}

async function writeSettings(backendUrl) {
  const settings = {
    'sealedProxy.backendUrl': backendUrl,
    'sealedProxy.port': await freePort(), // not the one of the user's own Sealed Proxy
    'security.workspace.trust.enabled': false,
    'workbench.startupEditor': 'none',
    'remote.autoForwardPortsFallback': 0, // no notification if this computer has many ports
    'workbench.enableExperiments': false,
    'chat.byokUtilityModelDefault': 'mainAgent', // what the editor itself asks goes to the enclave as well
    'chat.agent.thinking.collapsedTools': 'off', // shows the call of a tool
    'git.openRepositoryInParentFolders': 'never',
    'telemetry.telemetryLevel': 'off',
    'update.mode': 'none',
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
  };
  // Machine: what the editor's server reads; User: what the window reads.
  for (const place of ['User', 'Machine']) {
    mkdirSync(join(USER_DATA, place), { recursive: true });
    writeFileSync(join(USER_DATA, place, 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  }
}

async function packDemo() {
  const folder = join(FOLDER, 'package');
  const vsix = join(FOLDER, 'sealed-proxy.vsix');
  await makeDemo(folder);
  const vsce = resolve('node_modules', '@vscode', 'vsce', 'vsce');
  start([vsce, 'package', '--no-dependencies', '--out', vsix], folder);
  return vsix;
}

async function serve() {
  const sockets = mkdtempSync(join(tmpdir(), 'sealed-proxy-demo-')); // a socket's path must be short
  const args = [
    ...['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--session-socket', join(sockets, 'session')],
    ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--ignore-last-opened'],
    ...['--disable-getting-started-override', '--disable-proxy', PROJECT],
  ];
  const child = spawn(process.execPath, [FRONT, ...folders(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const errors = [];
  child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
  process.once('exit', () => {
    rmSync(sockets, { recursive: true, force: true });
  });
  keep(child, 'VS Code server');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /listening on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    child.stderr.removeAllListeners('data').resume(); // from now on, only what does not concern the user
    return url;
  }
  throw new Error(`VS Code could not be started: ${errors.join('')}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function folders() {
  return ['--config', join(FOLDER, 'config.yaml'), '--user-data-dir', USER_DATA, '--extensions-dir', EXTENSIONS];
}

/** Without the variables of an editor or an npm that this script was started from. */
function environment() {
  const foreign = /^(npm|VSCODE|ELECTRON|CODE_SERVER|XDG)_|^(NODE_OPTIONS|PORT|PASSWORD)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), HOME, USERPROFILE: HOME };
}

/** Runs code-server to its end. */
function run(args) {
  start([FRONT, ...folders(), ...args]);
}

function start(args, cwd) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: environment() });
  if (status !== 0) throw new Error(`${args[0]} failed: ${stderr || stdout}`);
}
