// Makes the pictures of the walkthrough and the README from the product as it is. They are part of the extension's package: 256 colours
// make them less than half as big.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const TESTS = 'scripts/vscode/test.mjs';
const MADE = join('.cache', 'screenshots', 'walkthrough');
const SHIPPED = join('media', 'walkthrough');

rmSync(MADE, { recursive: true, force: true });
const files = ['walkthrough', 'startUp'].map((name) => `test/vscode/workbench/${name}.test.ts`);
const { status } = spawnSync(process.execPath, [TESTS, ...files], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
mkdirSync(SHIPPED, { recursive: true });
// The walkthrough has each picture in two themes, the README in one.
const shown = ['package.json', 'README.md'].map((path) => readFileSync(path, 'utf8')).join();
for (const name of readdirSync(MADE).filter((file) => shown.includes(`media/walkthrough/${file}`))) {
  await sharp(join(MADE, name)).png({ palette: true, dither: 0, effort: 10 }).toFile(join(SHIPPED, name));
}
