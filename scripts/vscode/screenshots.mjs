// Makes the pictures of the walkthrough from the product as it is.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const TESTS = 'scripts/vscode/test.mjs';
const MADE = join('.cache', 'screenshots', 'walkthrough');
const SHIPPED = join('media', 'walkthrough');

rmSync(MADE, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [TESTS, 'test/vscode/workbench/walkthrough.test.ts'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
mkdirSync(SHIPPED, { recursive: true });
for (const name of readdirSync(MADE)) copyFileSync(join(MADE, name), join(SHIPPED, name));
