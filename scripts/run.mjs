// Runs a script of the project or of one of its dependencies: node scripts/run.mjs PATH [argument ...]
// Needs nothing but some Node and npm: installs missing dependencies first, then uses the project's own Node, or, with
// SEALED_PROXY_NODE=system, the Node that runs npm.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const system = process.env.SEALED_PROXY_NODE === 'system';
const [script, ...args] = process.argv.slice(2);

install();
const node = findNode();
const child = spawn(node, [join(root, script), ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
});
// Ctrl-C reaches the child as well, which then decides when to end.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 0 : 1)));

/** Runs `npm ci` if nothing is installed yet or the lock file has changed since. */
function install() {
  const installed = join(modules, '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  console.log('Installing dependencies…');
  // Installation scripts only bring the project's own Node.
  const { status, error } = npm(system ? ['ci', '--ignore-scripts'] : ['ci'], { cwd: root, stdio: 'inherit' });
  if (error !== undefined) console.error(`npm could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function findNode() {
  if (system) return process.env.npm_node_execpath ?? process.execPath;
  const own = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) return own;
  console.error('The Node of the project is missing. Run: npm rebuild node');
  process.exit(1);
}
