// Writes the files in cases/, and vectors.json: node conformance/transport-v2/generate.ts [--check]
// The same program writes the same bytes. With --check it writes nothing, and fails if a file differs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CASES } from './generator/allCases.ts';
import { makeVectors } from './generator/vectors.ts';
import { AREAS, CASES_FOLDER, VECTORS_FILE, areaOf } from './suite.ts';

const isCheck = process.argv.includes('--check');
mkdirSync(CASES_FOLDER, { recursive: true });
for (const area of AREAS) {
  write(new URL(`${area}.json`, CASES_FOLDER), { area, cases: CASES.filter((one) => areaOf(one) === area) });
}
write(VECTORS_FILE, makeVectors(CASES));
if (!isCheck) console.log(`${CASES.length} cases`);

function write(file: URL, value: object): void {
  const text = `${JSON.stringify(value, null, 1)}\n`;
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file.pathname} differs from what the generator writes`);
    process.exitCode = 1;
  }
}
