// Two copies of the repository, in different folders, with other permissions and at another time: one result.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { environment, fromRoot } from '../support/e2e/process.ts';

const PARTS = [
  ...['src', 'scripts', 'media', 'esbuild.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE'],
];
const TOOLS = ['esbuild', '@vscode/vsce'];
/** The limit of a build, with its packages, on a busy machine, in milliseconds. */
const LIMIT = 120_000;

interface Materials {
  readonly components: readonly { readonly purl: string }[];
}

/** What is bundled is copied, because the paths of bundled files could reach the result; the tools are linked. */
function copyProject(folder: string): void {
  const { components } = JSON.parse(readFileSync(fromRoot('dist/sealed-proxy.cdx.json'), 'utf8')) as Materials;
  const packages = components.flatMap(({ purl }) => /^pkg:npm\/(.+)@/.exec(decodeURIComponent(purl))?.[1] ?? []);
  for (const part of [...PARTS, ...packages.map((name) => `node_modules/${name}`)]) {
    cpSync(fromRoot(part), join(folder, part), { recursive: true });
  }
  for (const name of TOOLS) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(fromRoot(`node_modules/${name}`), link, 'junction');
  }
}

/** As an old clone of a user whose files nobody else may read. */
function makeOldAndPrivate(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('node_modules')) continue;
    chmodSync(join(entry.parentPath, entry.name), 0o600);
    utimesSync(join(entry.parentPath, entry.name), 1e9, 1e9);
  }
}

function packagesOf(folder: string, env: Readonly<Record<string, string>>): string {
  for (const script of ['esbuild.mjs', 'scripts/package.mjs']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      cwd: folder,
      encoding: 'utf8',
      env: environment(env),
    });
    assert.equal(status, 0, stdout + stderr);
  }
  return readFileSync(join(folder, 'release', 'SHA256SUMS'), 'utf8');
}

describe('The packages and dist/', function () {
  this.timeout(2 * LIMIT);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-twice-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('have the same bytes in every folder, at any time, in any time zone, and whatever the permissions are', () => {
    const [one, other] = [join(folder, 'one'), join(folder, 'further', 'down', 'two')];
    for (const copy of [one, other]) copyProject(copy);
    makeOldAndPrivate(other);
    const commit = { SEALED_PROXY_COMMIT: '0123456789'.repeat(4), SOURCE_DATE_EPOCH: '1700000000' };
    const sums = packagesOf(one, { ...commit, TZ: 'America/New_York', LANG: 'de_DE.UTF-8' });
    assert.equal(packagesOf(other, { ...commit, TZ: 'Asia/Tokyo' }), sums);
    assert.match(sums, /\.vsix\n/);
    assert.match(sums, /\.tgz\n/);
    for (const name of readdirSync(join(one, 'dist'))) {
      const text = readFileSync(join(one, 'dist', name), 'latin1');
      assert.ok(!text.includes(folder), `${name} names the folder`);
    }
  });

  it('name no commit when they are built outside a clone', () => {
    const copy = join(folder, 'archive');
    copyProject(copy);
    packagesOf(copy, {});
    const { stdout } = spawnSync(process.execPath, [join(copy, 'dist', 'proxy.js'), '--version', '--verbose'], {
      encoding: 'utf8',
      env: environment({}),
    });
    assert.equal(stdout.split('\n')[1], 'commit unknown');
  });
});
