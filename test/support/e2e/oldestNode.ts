// The oldest Node that package.json allows, from the npm registry, kept in .cache/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { arch, execPath, platform, versions } from 'node:process';
import { fromRoot } from './process.ts';

export const OLDEST_NODE = '22.19.0';

const WINDOWS = platform === 'win32';
// The names that the package `node` uses for its binaries.
const PREFIX = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
const PACKAGE = `${PREFIX}-${WINDOWS ? 'win' : platform}-${arch}`;

/** Returns the path of the executable; installs it if it is missing. */
export function installOldestNode(): string {
  if (versions.node === OLDEST_NODE) return execPath;
  const folder = fromRoot(`.cache/${PACKAGE}-${OLDEST_NODE}`);
  const executable = `${folder}/node_modules/${PACKAGE}/bin/node${WINDOWS ? '.exe' : ''}`;
  if (existsSync(executable)) return executable;
  const arriving = `${folder}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { recursive: true });
  const npm = process.env['npm_execpath'];
  const [command = '', ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const install = ['install', '--prefix', arriving, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync(command, [...args, ...install, `${PACKAGE}@${OLDEST_NODE}`], {
    cwd: arriving,
    encoding: 'utf8',
    shell: npm === undefined && WINDOWS,
  });
  if (status !== 0) throw new Error(`Node ${OLDEST_NODE} could not be installed: ${stderr}`);
  renameSync(arriving, folder);
  return executable;
}
