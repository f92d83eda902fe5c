// Bundles each process into one file of dist/ that needs no node_modules. `--watch` builds again on each change,
// `--quiet` prints warnings and errors alone.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
  legalComments: 'linked',
  banner: { js: '#!/usr/bin/env node' },
  logLevel: process.argv.includes('--quiet') ? 'error' : 'info',
};

/** @type {import('esbuild').BuildOptions} */
const extension = {
  ...options,
  entryPoints: { extension: 'src/extension/main.ts' },
  outExtension: { '.js': '.cjs' },
  external: ['vscode'],
  banner: {},
};

if (!watch) rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
// The package is of ES modules; its bundles are not, so that each of them also runs alone, anywhere.
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');

// What other extensions compile against: interfaces alone, which are the same in a declaration file.
copyFileSync('src/extension/apiTypes.ts', 'dist/sealed-proxy.d.ts');

for (const bundle of [options, extension]) {
  if (watch) await (await context(bundle)).watch();
  else await build(bundle);
}
