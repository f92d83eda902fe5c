// The packages have what they need and nothing else, and the command runs on a computer that has only Node.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/shared/version.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RunningProcess, environment, fromRoot, spawnNode } from '../support/e2e/process.ts';
import { perTest } from '../support/e2e/scope.ts';

/** Runs a system command to its end. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = environment({ npm_config_cache: join(cwd, 'cache'), npm_config_offline: 'true' });
  const shell = process.platform === 'win32'; // where npm is a batch file
  const child = new RunningProcess(spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] }));
  const { code } = await child.exit();
  assert.equal(code, 0, child.stderr.items.join('\n'));
  return [...child.stdout.items, ...child.stderr.items].join('\n');
}

describe('The package', () => {
  const scope = perTest();
  let folder: string;
  let output: string;

  before(async function () {
    this.timeout(60_000);
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-package-'));
    const args = [fromRoot('scripts/package.mjs'), join(folder, 'release'), join(folder, 'copies')];
    output = await run(process.execPath, args, fromRoot('.'));
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('contains what its command needs, and nothing else', async () => {
    const modules = join(folder, 'elsewhere', 'node_modules');
    mkdirSync(modules, { recursive: true });
    // Laid out as by an installation.
    await run('tar', ['-xzf', join('..', '..', 'release', `sealed-proxy-${VERSION}.tgz`)], modules);
    const root = join(modules, 'package');
    assert.deepEqual(readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted(), [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist'],
      ...['ThirdPartyNotices.txt', 'proxy.js'].map((name) => join('dist', name)),
      'package.json',
    ]);
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual(Object.keys(manifest).toSorted(), [
      ...['bin', 'bugs', 'description', 'engines', 'homepage', 'keywords', 'license', 'name', 'repository'],
      ...['type', 'version'],
    ]);
    const command = join(root, (manifest['bin'] as Record<string, string>)['sealed-proxy'] ?? '');
    const child = new RunningProcess(spawnNode(command, { args: ['--version', '--verbose'], cwd: folder }));
    assert.deepEqual(await child.exit(), { code: 0, signal: null });
    assert.equal(child.stdout.items[0], `sealed-proxy ${VERSION}`);
    assert.match(child.stdout.items[1] ?? '', /^commit ([0-9a-f]{40}(\+changes)?|unknown)$/);
    assert.equal(manifest['version'], VERSION);
    const [hash = '', ...others] = child.stdout.items.slice(2);
    assert.deepEqual(others, []);
    const sums = readFileSync(join(folder, 'release', 'SHA256SUMS'), 'utf8').split('\n');
    assert.ok(sums.includes(hash.replace('  ', '  dist/')), hash);

    const enclave = await scope.enclave();
    const env = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave.url };
    const proxy = new RunningProcess(spawnNode(command, { env, cwd: folder }));
    scope.onClose(() => proxy.kill());
    const line = await proxy.stdout.find('the address of the proxy', (text) => text.includes(' listening on '));
    const url = line.replace(/^.* listening on /, '');
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', key: 'dev-own' })).status, 200);
  });

  it('for the editor has its bundles, no sources and no development enclave, is small, and packs without a warning', async () => {
    const archive = join(folder, 'release', `sealed-proxy-${VERSION}.vsix`);
    const vsce = fromRoot('node_modules/@vscode/vsce/vsce');
    const packed = join(folder, 'copies', 'extension');
    assert.doesNotMatch(output, /\bwarn/i);
    assert.ok(statSync(archive).size < 800 * 1024, `${statSync(archive).size} bytes`);
    const listed = await run(process.execPath, [vsce, 'ls', '--no-dependencies'], packed);
    assert.deepEqual(listed.split('\n').filter(Boolean).toSorted(), [
      ...['CHANGELOG.md', 'LICENSE', 'README.md'],
      ...[
        'ThirdPartyNotices.txt',
        'dashboard.css',
        'dashboard.js',
        'extension.cjs',
        'package.json',
        'proxy.js',
        'sealed-proxy.d.ts',
        'uninstall.js',
      ].map((name) => `dist/${name}`),
      'media/activity.svg',
      'media/icon.png',
      ...[
        'ask-dark',
        'ask',
        'connect-dark',
        'connect',
        'dashboard',
        'key-dark',
        'key',
        'verified-dark',
        'verified',
      ].map((name) => `media/walkthrough/${name}.png`),
      'package.json',
    ]);
    const types = readFileSync(join(packed, 'dist', 'sealed-proxy.d.ts'), 'utf8');
    assert.doesNotMatch(types, /\bimport\b/, 'the types of the API need no other file');
    const notices = readFileSync(join(packed, 'dist', 'ThirdPartyNotices.txt'), 'utf8');
    for (const name of [
      'undici',
      'prom-client',
      '@noble/hashes',
      'cborg',
      'jsonc-parser',
      'yaml',
      '@vscode-elements/elements',
      'lit',
      'uplot',
      'libsodium',
    ]) {
      assert.match(notices, new RegExp(`^${name} \\d`, 'm'));
    }
  });

  it('has its hashes in a file beside it', () => {
    const lines = readFileSync(join(folder, 'release', 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n');
    const names = lines.map((line) => line.slice(66));
    const packages = readdirSync(join(folder, 'release')).filter((name) => name !== 'SHA256SUMS');
    assert.deepEqual(
      names.toSorted(),
      [...packages, ...readdirSync(fromRoot('dist')).map((name) => `dist/${name}`)].toSorted(),
    );
    for (const line of lines) {
      const [, hash, name = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? assert.fail(line);
      const path = name.startsWith('dist/') ? fromRoot(name) : join(folder, 'release', name);
      assert.equal(createHash('sha256').update(readFileSync(path)).digest('hex'), hash, name);
      assert.ok(output.includes(line), 'also printed');
    }
  });
});
