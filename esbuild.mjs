// Bundles each process into one file of dist/ that needs no node_modules: node esbuild.mjs [--watch] [--quiet]
// --watch builds again on each change, --quiet prints warnings and errors only.
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, context } from 'esbuild';
import { billOfMaterials, notices } from './scripts/components.ts';

/** The commit that is built, which the programs report. */
const COMMIT = findCommit();

/** @satisfies {import('esbuild').BuildOptions} How every bundle is made. */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'cjs',
  external: ['vscode'],
  define: { 'import.meta.filename': '__filename', BUILD_COMMIT: JSON.stringify(COMMIT) },
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // a bundler cannot see the imports of its other build
};

/**
 * The parts of undici and prom-client that the proxy needs. undici's main module also loads fetch, WebSocket, caches and mocks; its connections,
 * HTTP/2. Together they are half of the bundle, and a third of the time that the proxy takes to start. prom-client's main
 * module also loads summaries, clusters and OpenTelemetry's API.
 */
const PARTS = {
  undici: `
    import connect from 'undici/lib/api/api-connect.js'; // for the tunnels of ProxyAgent
    import request from 'undici/lib/api/api-request.js';
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import Pool from 'undici/lib/dispatcher/pool.js';
    import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
    Object.assign(Dispatcher.prototype, { connect, request }); // as the main module does
    export { Dispatcher, Pool, ProxyAgent };
  `,
  './client-h2.js': `module.exports = () => { throw new Error('The proxy speaks HTTP/1.1'); };`,
  'prom-client': `
    import Counter from 'prom-client/lib/counter.js';
    import collectDefaultMetrics from 'prom-client/lib/defaultMetrics.js';
    import Gauge from 'prom-client/lib/gauge.js';
    import Histogram from 'prom-client/lib/histogram.js';
    import Registry from 'prom-client/lib/registry.js';
    export { Counter, Gauge, Histogram, Registry, collectDefaultMetrics };
  `,
  '@opentelemetry/api': `module.exports = {};`, // only for exemplars, which the metrics do not have
};

/** @type {import('esbuild').Plugin} */
const PARTS_OF_PACKAGES = {
  name: 'parts of packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(undici|\.\/client-h2\.js|prom-client|@opentelemetry\/api)$/ }, ({ path }) => ({
      path,
      namespace: 'parts',
    }));
    onLoad({ filter: /./, namespace: 'parts' }, ({ path }) => {
      return { contents: PARTS[path], resolveDir: import.meta.dirname };
    });
  },
};

/** The oldest Node that the bundles run on. */
const OLDEST_NODE = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')).engines.node.replace(
  '>=',
  '',
);

/** What a script does before anything else; a bundle is the body of a function, so it may return. */
const NODE_SCRIPT = `#!/usr/bin/env node
"use strict";
if ((${refuseOldNode})(${JSON.stringify(OLDEST_NODE)})) return;`;

const SHIPPED = {
  ...BUNDLE,
  outdir: 'dist',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none', // ThirdPartyNotices.txt has the full licences
  metafile: true,
};

/** All bundles; the development enclave is not part of any package. */
export const BUNDLES = [
  {
    ...SHIPPED,
    entryPoints: { proxy: 'src/proxy/main.ts', 'dev-enclave': 'src/devEnclave/main.ts' },
    target: 'node18', // an older Node must be able to parse the file, to say that it is too old
    banner: { js: NODE_SCRIPT },
    plugins: [PARTS_OF_PACKAGES],
    define: { ...BUNDLE.define, esbuildDetection: 'true' }, // leaves out undici's experimental parser, as Node does
  },
  { ...SHIPPED, entryPoints: { uninstall: 'src/extension/features/leave/uninstall.ts' }, sourcemap: false },
  { ...SHIPPED, entryPoints: { extension: 'src/extension/main.ts' }, outExtension: { '.js': '.cjs' } },
  {
    ...SHIPPED,
    entryPoints: [
      { in: 'src/dashboard/web/main.ts', out: 'dashboard' },
      { in: 'src/dashboard/web/styles/main.css', out: 'dashboard' },
    ],
    platform: 'browser',
    format: 'esm',
    target: 'chrome138', // older than the one in the oldest editor that the extension supports
    define: {},
    sourcemap: false,
  },
];

/** The files that are not bundled, by their names. */
const UNBUNDLED = {
  // The package consists of ES modules, the bundles do not: each of them runs anywhere by itself.
  'package.json': '{ "type": "commonjs" }\n',
  // What other extensions compile against: only interfaces, which a declaration file writes in the same way.
  'sealed-proxy.d.ts': readFileSync(join(import.meta.dirname, 'src/extension/features/api/apiTypes.ts')),
};

if (realpathSync(process.argv[1]) === import.meta.filename) await main(process.argv.slice(2));

/**
 * Says so if this Node is older than `needed`, and sets the exit code. Is part of the bundles as it stands here, and runs
 * on any Node.
 */
function refuseOldNode(needed) {
  const found = process.versions.node;
  const [a, b] = [found, needed].map((version) => version.split('.').map(Number));
  const isOld = a[0] !== b[0] ? a[0] < b[0] : a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2];
  if (isOld) {
    process.stderr.write(
      `Sealed Proxy needs Node ${needed} or later, and this is Node ${found}: install a later one from https://nodejs.org\n`,
    );
    process.exitCode = 2;
  }
  return isOld;
}

async function main(options) {
  if (options.includes('--watch')) return watch();
  const logLevel = options.includes('--quiet') ? 'warning' : 'info';
  const results = await Promise.all(BUNDLES.map((bundle) => build({ ...bundle, logLevel, write: false })));
  const files = new Map(
    results.flatMap(({ outputFiles }) => outputFiles).map(({ path, contents }) => [basename(path), contents]),
  );
  const metafiles = results.map(({ metafile }) => metafile);
  files.set('ThirdPartyNotices.txt', notices(metafiles, import.meta.dirname));
  files.set('sealed-proxy.cdx.json', billOfMaterials(metafiles, import.meta.dirname, COMMIT));
  for (const [name, contents] of Object.entries(UNBUNDLED)) files.set(name, contents);
  mkdirSync('dist', { recursive: true });
  for (const name of readdirSync('dist')) if (!files.has(name)) rmSync(join('dist', name), { recursive: true });
  for (const [name, contents] of files) write(name, contents);
}

/** Leaves a file that has these contents as it is: programs may be starting from it. */
function write(name, contents) {
  const path = join('dist', name);
  const bytes = Buffer.from(contents);
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
}

/** Prints one line when a build of all bundles starts, one for each message, and one when it has finished. */
async function watch() {
  mkdirSync('dist', { recursive: true });
  for (const [name, contents] of Object.entries(UNBUNDLED)) write(name, contents);
  let running = 0;
  const progress = {
    name: 'progress',
    setup: ({ onStart, onEnd }) => {
      onStart(() => {
        if (running++ === 0) console.log('[watch] build started');
      });
      onEnd(({ errors, warnings }) => {
        for (const message of errors) report('error', message);
        for (const message of warnings) report('warning', message);
        if (--running === 0) console.log('[watch] build finished');
      });
    },
  };
  const contexts = await Promise.all(
    BUNDLES.map(({ plugins = [], ...bundle }) => {
      return context({ ...bundle, plugins: [...plugins, progress], logLevel: 'silent' });
    }),
  );
  await Promise.all(contexts.map((bundle) => bundle.watch()));
}

/** As `.vscode/tasks.json` reads it. */
function report(severity, { location, text }) {
  console.log(location ? `${location.file}:${location.line}:${location.column + 1}: ${severity}: ${text}` : text);
}

/**
 * The hash of the commit, followed by `+changes` if a file of it was changed; `unknown` outside a clone of the repository.
 * SEALED_PROXY_COMMIT names it where the files are a copy of a clone, as in a container.
 */
function findCommit() {
  const { SEALED_PROXY_COMMIT: given } = process.env;
  if (given) return given;
  const git = (...args) => spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', 'HEAD', '--show-prefix');
  const [hash, prefix] = status === 0 ? stdout.split('\n') : [];
  if (hash === undefined || prefix !== '') return 'unknown'; // a prefix: a copy inside another repository
  const { stdout: changes } = git('--no-optional-locks', 'status', '--porcelain', '--untracked-files=no');
  return changes === '' ? hash : `${hash}+changes`;
}
