// Compiles src/session/chachaPoly.c with libsodium's primitives into src/session/wasmCode.ts, or with --check compares it.
// Needs Debian 12's packages clang, lld and wasi-libc: another compiler makes other bytes.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** libsodium 1.0.22, as the maintainers of its Rust package publish it. */
const SOURCE = {
  url: 'https://static.crates.io/crates/libsodium-sys-stable/libsodium-sys-stable-1.24.3.crate',
  sha256: '1f55c1c508d31e2cf0a649c9c889e4bcf554cbfb2a6803f049f219784b044283',
  archive: 'libsodium-sys-stable-1.24.3/LATEST.tar.gz',
  folder: 'libsodium-stable/src/libsodium',
};
const C_FILE = join(import.meta.dirname, '../src/session/chachaPoly.c');
const RESULT = join(import.meta.dirname, '../src/session/wasmCode.ts');

const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-wasm-'));
try {
  await download();
  const text = asModule(compile());
  if (!process.argv.includes('--check')) writeFileSync(RESULT, text);
  else if (text !== readFileSync(RESULT, 'utf8')) throw new Error(`${RESULT} is not what the sources compile to`);
} finally {
  rmSync(folder, { recursive: true });
}

async function download() {
  const response = await fetch(SOURCE.url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== SOURCE.sha256) throw new Error(`${SOURCE.url} has another SHA-256: ${sha256}`);
  writeFileSync(join(folder, 'source'), bytes);
  for (const archive of ['source', SOURCE.archive]) execFileSync('tar', ['xzf', archive], { cwd: folder });
}

function compile() {
  const include = join(folder, SOURCE.folder);
  const includes = [include, join(include, 'include'), join(include, 'include/sodium')].map((path) => `-I${path}`);
  const target = ['--target=wasm32-wasi', '-isystem', '/usr/include/wasm32-wasi', '-mbulk-memory', '-nostdlib'];
  const linker = ['--no-entry', '--strip-all', '-z,stack-size=4096'].map((option) => `-Wl,${option}`);
  const output = join(folder, 'output.wasm');
  // The sources contain functions of libsodium that are not used here.
  const options = [
    '-O3',
    '-DSODIUM_STATIC',
    '-DCONFIGURED=1',
    '-Wno-unused',
    ...target,
    ...includes,
    ...linker,
    '-o',
    output,
  ];
  execFileSync('clang', [...options, C_FILE], { stdio: 'inherit' });
  return readFileSync(output);
}

function asModule(code) {
  const lines = code.toString('base64').match(/.{1,110}/g);
  return `// Compiled from chachaPoly.c by scripts/wasm.mjs: do not edit.

/** A WebAssembly module as Base64, in lines. */
export const WASM_CODE = \`
${lines.join('\n')}
\`;
`;
}
