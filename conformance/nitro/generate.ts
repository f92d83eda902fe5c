// Writes the files in cases/: node conformance/nitro/generate.ts [--check]
// The same program writes the same bytes. With --check it writes nothing, and fails if a file differs.
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CASES } from './generator/allCases.ts';
import { AREAS } from './generator/cases.ts';
import { CASES_FOLDER, renderArea } from './suite.ts';

const isCheck = process.argv.includes('--check');
mkdirSync(CASES_FOLDER, { recursive: true });
for (const area of AREAS) {
  const file = new URL(`${area}.json`, CASES_FOLDER);
  const text = renderArea(
    area,
    CASES.filter((one) => one.area === area),
    (anchor) => hash('sha256', anchor).slice(0, 8),
  );
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${area}.json differs from what the generator writes`);
    process.exitCode = 1;
  }
}
if (!isCheck) console.log(`${CASES.length} cases`);
