// Shows that the suite finds what it is for: removes a rule from a copy of the proxy, and lists the cases that find it.
//   node conformance/transport-v2/proof.ts [TEXT]
// With a text, only for the mutants that it describes.
// Fails if no case finds a mutant.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS, type Mutant } from './mutants.ts';
import { type Result, playAll } from './play.ts';
import { quickProxy } from './proxy.ts';
import { areaOf, readSuite } from './suite.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LANES = 4;

/** The cases of the mutant's areas that a copy of the proxy does not pass. */
export async function findingsOf({ file, edits, areas }: Mutant): Promise<readonly Result[]> {
  // Inside the project, where the copy finds its packages.
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'conformance-'));
  try {
    cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
    const path = join(folder, 'src', file);
    writeFileSync(path, edits.reduce(edit, readFileSync(path, 'utf8')));
    const cases = readSuite().filter((one) => areas.some((area) => area === areaOf(one)));
    const results = await playAll(cases, quickProxy(join(folder, 'src/proxy/main.ts')), LANES);
    return results.filter(({ outcome }) => outcome === 'differs');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws RangeError if the text is not there once: the source has changed */
function edit(text: string, [from, to]: readonly [string, string]): string {
  if (text.split(from).length !== 2) throw new RangeError(`not there exactly once: ${from}`);
  return text.replace(from, () => to);
}

if (import.meta.main) {
  const [, , text = ''] = process.argv;
  console.log('| a proxy that | cases that find it | for example |\n| --- | --- | --- |');
  for (const mutant of MUTANTS.filter(({ wrong }) => wrong.includes(text))) {
    const findings = await findingsOf(mutant);
    const examples = findings.slice(0, 3).map(({ one }) => `\`${one.id}\``);
    console.log(`| ${[mutant.wrong, findings.length, examples.join(', ')].join(' | ')} |`);
    if (findings.length === 0) process.exitCode = 1;
  }
}
