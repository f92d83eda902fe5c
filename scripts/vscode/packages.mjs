// The extension as the tests need it besides the product: packages that differ in one module each, and are never shipped.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const SHIPPED = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media', 'dist'];

/**
 * A copy of the project whose proxy trusts the authority of the tests' own enclaves in place of AWS.
 * @param {string} folder where to put it; ready to be packed
 */
export async function makeTrusting(folder) {
  copyShipped(folder);
  const own = resolve('test/vscode/trusting/trust.ts');
  await bundle(folder, ['proxy'], {
    name: 'another authority',
    setup: ({ onResolve }) => {
      onResolve({ filter: /\/trust\.ts$/ }, ({ importer }) => (importer === own ? undefined : { path: own }));
    },
  });
}

/**
 * A copy of the project that says that it is of the next version.
 * @param {string} folder where to put it; ready to be packed
 */
export async function makeNext(folder) {
  copyShipped(folder);
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const [major, minor, patch] = manifest.version.split('.').map(Number);
  const version = `${major}.${minor}.${patch + 1}`;
  writeFileSync(path, JSON.stringify({ ...manifest, version }));
  await bundle(folder, ['proxy', 'extension'], {
    name: 'the next version',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\/shared\/version\.ts$/ }, () => ({ contents: `export const VERSION = '${version}';` }));
    },
  });
}

/**
 * Copies what a package may hold.
 * @param {string} folder where to put it; ready to be packed
 */
export function copyShipped(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of [...SHIPPED, '.vscodeignore']) cpSync(name, join(folder, name), { recursive: true });
}

/** As esbuild.mjs does it, for reading. */
async function bundle(folder, names, plugin) {
  const files = { proxy: ['src/proxy/main.ts', 'proxy.js'], extension: ['src/extension/main.ts', 'extension.cjs'] };
  for (const name of names) {
    const [entry, file] = files[name];
    await build({
      entryPoints: [entry],
      outfile: join(folder, 'dist', file),
      bundle: true,
      platform: 'node',
      target: 'node22.19',
      format: 'cjs',
      external: ['vscode'],
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
      plugins: [plugin],
      logLevel: 'warning',
    });
  }
}
