// The result of `npm pack` runs on a computer that has only Node.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
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

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-package-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('contains what its command needs, and nothing else', async () => {
    await run('npm', ['pack', fromRoot('.'), '--ignore-scripts', '--loglevel=error'], folder);
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const modules = join(folder, 'elsewhere', 'node_modules');
    mkdirSync(modules, { recursive: true });
    // Laid out as by an installation, without dependencies: they are in the bundle.
    await run('tar', ['-xzf', join('..', '..', archive)], modules);
    const root = join(modules, 'package');
    assert.deepEqual(readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted(), [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist'],
      ...['ThirdPartyNotices.txt', 'package.json', 'proxy.js'].map((name) => join('dist', name)),
      'package.json',
    ]);
    const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      version: string;
    };
    const command = join(root, bin['sealed-proxy'] ?? '');
    const child = new RunningProcess(spawnNode(command, { args: ['--version'], cwd: folder }));
    assert.deepEqual(await child.exit(), { code: 0, signal: null });
    assert.deepEqual([child.stdout.items, child.stderr.items], [[`sealed-proxy ${version}`], []]);
    assert.equal(version, VERSION);

    const enclave = await scope.enclave();
    const env = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave.url };
    const proxy = new RunningProcess(spawnNode(command, { env, cwd: folder }));
    scope.onClose(() => proxy.kill());
    const line = await proxy.stdout.find('the address of the proxy', (text) => text.includes(' listening on '));
    const url = line.replace(/^.* listening on /, '');
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', key: 'dev-own' })).status, 200);
  });

  it('for the editor has its bundles, no sources and no development enclave, is small, and packs without a warning', async function () {
    const archive = join(folder, 'sealed-proxy.vsix');
    const vsce = fromRoot('node_modules/@vscode/vsce/vsce');
    const packed = join(folder, 'packed');
    const output = await run(process.execPath, [fromRoot('scripts/package.mjs'), archive, packed], fromRoot('.'));
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
    const notices = readFileSync(fromRoot('dist/ThirdPartyNotices.txt'), 'utf8');
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
});
