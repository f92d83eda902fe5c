// The packages that the tests and the demonstration need besides the product's: each differs in one module, and is never
// shipped.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE } from '../../esbuild.mjs';

const SHIPPED = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'media', 'dist'];

/**
 * Makes a copy of the project whose proxy trusts the authority of the tests' enclaves in place of AWS.
 * @param {string} folder gets everything that vsce packs
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
 * Makes a copy of the project with the next version number.
 * @param {string} folder gets everything that vsce packs
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
      onLoad({ filter: /\/shared\/version\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8').replace(`'${manifest.version}'`, `'${version}'`);
        return { contents, loader: 'ts' };
      });
    },
  });
}

/**
 * Makes a copy of the project that has an API key and opens the chat.
 * @param {string} folder gets everything that vsce packs
 */
export async function makeDemo(folder) {
  copyShipped(folder);
  const outfile = join(folder, 'dist', 'extension.cjs');
  await build({ ...BUNDLE, entryPoints: ['scripts/vscode/demo/main.ts'], outfile, logLevel: 'warning' });
}

/**
 * Copies what a package may contain.
 * @param {string} folder gets everything that vsce packs
 */
export function copyShipped(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of [...SHIPPED, '.vscodeignore']) cpSync(name, join(folder, name), { recursive: true });
}

async function bundle(folder, names, plugin) {
  const files = { proxy: ['src/proxy/main.ts', 'proxy.js'], extension: ['src/extension/main.ts', 'extension.cjs'] };
  for (const name of names) {
    const [entry, file] = files[name];
    const outfile = join(folder, 'dist', file);
    await build({ ...BUNDLE, entryPoints: [entry], outfile, plugins: [plugin], logLevel: 'warning' });
  }
}
