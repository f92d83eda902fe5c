// Packs the extension: node scripts/package.mjs [FILE.vsix]
// It packs a copy of the shipped files, since vsce scans every file below its folder, and .cache may hold thousands.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyShipped } from './vscode/packages.mjs';

const FOLDER = join('.cache', 'package');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const [out = `sealed-proxy-${version}.vsix`] = process.argv.slice(2);

rmSync(FOLDER, { recursive: true, force: true });
copyShipped(FOLDER);
const vsce = resolve('node_modules', '@vscode', 'vsce', 'vsce');
const args = [vsce, 'package', '--no-dependencies', '--out', resolve(out)];
process.exitCode = spawnSync(process.execPath, args, { cwd: FOLDER, stdio: 'inherit' }).status ?? 1;
