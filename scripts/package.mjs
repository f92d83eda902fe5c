// Makes the packages from dist/, and prints their SHA-256: node scripts/package.mjs [FOLDER [FOLDER OF COPIES]]
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, packCommand, packExtension } from './pack.mjs';

const [target = 'release', copies = join('.cache', 'package')] = process.argv.slice(2);
const bundled = hashLines('dist', readdirSync('dist').toSorted());

mkdirSync(target, { recursive: true });
const materials = 'sealed-proxy.cdx.json';
const extension = `${MANIFEST.name}-${MANIFEST.version}.vsix`;
const command = `${MANIFEST.name}-${MANIFEST.version}.tgz`; // npm names it so
console.log(packExtension(join(target, extension), join(copies, 'extension')));
packCommand(target, join(copies, 'command'));
copyFileSync(join('dist', materials), join(target, materials));

const lines = [
  ...hashLines(target, [materials, extension, command]),
  ...bundled.map((line) => line.replace('  ', '  dist/')),
];
writeFileSync(join(target, 'SHA256SUMS'), asText(lines));
console.log(`In ${target}, with SHA-256 in SHA256SUMS:\n\n${asText(lines)}`);
console.log(`${sha256(asText(bundled))}  all of dist: cd dist && LC_ALL=C sha256sum * | sha256sum`);

/** As `sha256sum` prints them. */
function hashLines(folder, names) {
  return names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}`);
}

function asText(lines) {
  return lines.map((line) => `${line}\n`).join('');
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}
