// Writes the parts of package.json and docs/ that are derived from the sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { generatedFiles } from './generatedFiles.ts';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

for (const [path, text] of generatedFiles(read)) {
  if (text === read(path)) continue;
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`${path} updated`);
}
