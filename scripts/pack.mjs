// Packs what is shipped. Every clone of a commit gives the same bytes, at any time and in any folder: archives have the time
// of the commit, no time zone, and the same permissions.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { npm, withoutNpm } from './npm.mjs';
import { copyShipped } from './vscode/packages.mjs';

/** Of what is not in a clone of the repository: the first time that a ZIP archive can have. */
const NO_TIME = '315532800';

export const MANIFEST = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));

/** What `npm` needs to know about the package. It has no dependencies and no scripts: everything is in the bundle. */
const NPM_FIELDS = ['name', 'version', 'license', 'repository', 'homepage', 'bugs', 'keywords', 'bin'];
const NPM_FILES = ['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/proxy.js', 'dist/ThirdPartyNotices.txt'];

/** Whether a version is for those who chose pre-releases: versions with an odd minor number are. */
export function isPreRelease(version) {
  return Number(version.split('.')[1]) % 2 === 1;
}

/**
 * Packs the extension.
 * @param {string} file of the result
 * @param {string} folder for a copy of the shipped files, since vsce scans every file below its folder, and .cache may hold
 *   thousands; replaced if it exists
 * @returns what vsce says, with the contents
 */
export function packExtension(file, folder) {
  rmSync(folder, { recursive: true, force: true });
  copyShipped(folder);
  sameModes(folder);
  const options = isPreRelease(MANIFEST.version) ? ['--pre-release'] : [];
  const vsce = resolve('node_modules', '@vscode', 'vsce', 'vsce');
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [vsce, 'package', '--no-dependencies', '--out', resolve(file), ...options],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, SOURCE_DATE_EPOCH: timeOfCommit(), TZ: 'UTC', LC_ALL: 'C' },
    },
  );
  if (status !== 0) throw new Error(`vsce failed: ${stdout}${stderr}`, { cause: error });
  return stdout + stderr;
}

/**
 * Packs the command for npm's registry.
 * @param {string} target folder of the result
 * @param {string} folder for a copy of the files; replaced if it exists
 */
export function packCommand(target, folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const name of NPM_FILES) cpSync(name, join(folder, name));
  const description =
    'A proxy on your computer that encrypts prompts to AI models, so that only a verified enclave reads them';
  const fields = Object.fromEntries(NPM_FIELDS.map((name) => [name, MANIFEST[name]]));
  const manifest = { ...fields, description, type: 'commonjs', engines: { node: MANIFEST.engines.node } };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  sameModes(folder);
  const { status, stderr, error } = npm(['pack', '--ignore-scripts', '--pack-destination', resolve(target)], {
    cwd: folder,
    env: withoutNpm(),
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`, { cause: error });
}

/** In seconds since 1970. */
function timeOfCommit() {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  if (given) return given;
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : NO_TIME;
}

/** Archives contain the permissions of files, which depend on the umask of the user who cloned the repository. */
function sameModes(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}
