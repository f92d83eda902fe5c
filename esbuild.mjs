// Bundles each process into one file of dist/ that needs no node_modules. `--watch` builds again on each change,
// `--quiet` prints warnings and errors alone.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, context } from 'esbuild';

const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const options = {
  entryPoints: { proxy: 'src/proxy/main.ts', 'dev-enclave': 'src/devEnclave/main.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'cjs',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none', // the licences in full are in ThirdPartyNotices.txt
  metafile: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: process.argv.includes('--quiet') ? 'error' : 'info',
};

/** @type {import('esbuild').BuildOptions} */
const extension = {
  ...options,
  entryPoints: { extension: 'src/extension/main.ts' },
  outExtension: { '.js': '.cjs' },
  external: ['vscode'],
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other build hides its imports from a bundler
  banner: {},
};

if (!watch) rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
// The package is of ES modules; its bundles are not, so that each of them also runs alone, anywhere.
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');

// What other extensions compile against: interfaces alone, which are the same in a declaration file.
copyFileSync('src/extension/api/apiTypes.ts', 'dist/sealed-proxy.d.ts');

if (watch) {
  for (const bundle of [options, extension]) await (await context(bundle)).watch();
} else {
  const results = await Promise.all([options, extension].map((bundle) => build(bundle)));
  writeFileSync('dist/ThirdPartyNotices.txt', notices(results.flatMap(({ metafile }) => Object.keys(metafile.inputs))));
}

/** The licences of all packages that these files are of, each whole. */
function notices(paths) {
  const folders = new Set(paths.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? ''));
  folders.delete('');
  const texts = [...folders].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file] = readdirSync(folder).filter((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (file === undefined || !existsSync(join(folder, file))) throw new Error(`${name} comes without a licence`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
