// Runs the tests in a real VS Code: builds and packs what they need and chooses the editor first.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packExtension } from '../pack.mjs';
import { makeNext, makeTrusting } from './packages.mjs';
import { chooseTestTarget } from './testTarget.mjs';

const FOLDER = join('.cache', 'vscode');

run('.', 'esbuild.mjs', '--quiet');
rmSync(FOLDER, { recursive: true, force: true });
// The editor's runtime may be too old for TypeScript.
await build({
  entryPoints: {
    'bridge/bridge': 'test/vscode/bridge/bridge.ts',
    'host/index': 'test/vscode/host/index.ts',
    'otherVendor/otherVendor': 'test/vscode/otherVendor/otherVendor.ts',
  },
  outdir: FOLDER,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
});
packExtension(join(FOLDER, 'sealed-proxy.vsix'), join(FOLDER, 'package'));
await makeTrusting(join(FOLDER, 'trusting'));
pack(join(FOLDER, 'trusting'), 'trusting.vsix');
await makeNext(join(FOLDER, 'next'));
pack(join(FOLDER, 'next'), 'next.vsix');
for (const name of ['bridge', 'llama', 'otherVendor']) {
  mkdirSync(join(FOLDER, name), { recursive: true });
  copyFileSync(join('test/vscode', name, 'manifest.json'), join(FOLDER, name, 'package.json'));
  pack(join(FOLDER, name), `${name}.vsix`, '--skip-license', '--allow-missing-repository');
}
// AI extensions that are nothing but their IDs.
for (const manifest of JSON.parse(readFileSync('test/vscode/standIns/extensions.json', 'utf8'))) {
  const id = `${manifest.publisher}.${manifest.name}`;
  const folder = join(FOLDER, 'standIns', id);
  mkdirSync(folder, { recursive: true });
  const common = { description: 'Only for tests.', version: '1.0.0', license: 'MIT', engines: { vscode: '^1.125.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...common, ...manifest }));
  pack(folder, join('standIns', `${id}.vsix`), '--skip-license', '--allow-missing-repository');
}

const target = await chooseTestTarget().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
console.log(`VS Code: ${target.name}`);
const mocha = ['scripts/mocha.mjs', 'vscode', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, mocha, {
  stdio: 'inherit',
  env: { ...process.env, VSCODE_TEST_TARGET: JSON.stringify(target) },
});
process.exitCode = status ?? 1;

/** Packs an extension. */
function pack(folder, name, ...options) {
  const vsce = join(process.cwd(), 'node_modules', '@vscode', 'vsce', 'vsce');
  const out = join(process.cwd(), FOLDER, name);
  run(folder, vsce, 'package', '--no-dependencies', '--out', out, ...options);
}

function run(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(stdout + stderr);
  process.exit(1);
}
