// Packs the extension: node scripts/package.mjs [FILE.vsix [FOLDER]]
// It packs a copy of the shipped files, in FOLDER, since vsce scans every file below its folder, and .cache may hold
// thousands.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyShipped } from './vscode/packages.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const [out = `sealed-proxy-${version}.vsix`, folder = join('.cache', 'package')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });
copyShipped(folder);
const vsce = resolve('node_modules', '@vscode', 'vsce', 'vsce');
const args = [vsce, 'package', '--no-dependencies', '--out', resolve(out)];
process.exitCode = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }).status ?? 1;
