// Runs scripts/NAME.mjs on the project's own Node. Needs nothing but some Node and npm: what is missing is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...args] = process.argv.slice(2);
const windows = process.platform === 'win32';

install();
const node = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const path = `${join(root, 'node_modules', '.bin')}${windows ? ';' : ':'}${process.env.PATH}`;
const child = spawn(node, [join(root, 'scripts', `${name}.mjs`), ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
});
// Ctrl-C reaches the child as well; its end decides.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 0 : 1)));

/** `npm ci`, when nothing is installed yet or the lock file has changed since. */
function install() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log('Installing the dependencies ...');
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? ['npm', 'ci'] : [process.execPath, npm, 'ci'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command[0], [...command.slice(1), ...quiet], {
    cwd: root,
    stdio: 'inherit',
    shell: npm === undefined && windows,
  });
  if (status !== 0) process.exit(status ?? 1);
}
