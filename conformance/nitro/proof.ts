// Shows that each check is needed: removes it from a copy of the verifier, and lists the cases that change.
//   node conformance/nitro/proof.ts [PART/PARTS]
// Fails if a case of another check changes, or if none changes and reasons.ts does not say why.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, checkMutants, refusalMutants } from './mutants.ts';
import { REASONS } from './reasons.ts';
import { type CaseFile, Implementation, type Result, readSuite } from './suite.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src/attestation', 'src/shared', 'conformance/nitro/runners', 'conformance/nitro/lenient.ts'];

export interface Proof {
  readonly mutant: Mutant;
  /** The cases whose verdict or code changes. */
  readonly changed: readonly Result[];
  /** Those that are accepted now: the check was the only reason to refuse them. */
  readonly accepted: readonly Result[];
  /** Those that belong to another check. */
  readonly foreign: readonly Result[];
}

/** Runs all cases against each mutant, one after the other. */
export function prove(mutants: readonly Mutant[], cases: readonly CaseFile[] = readSuite()): readonly Proof[] {
  // Inside the project, where the copy finds its packages.
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'conformance-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    const runner = join(folder, 'conformance/nitro/runners/typescript.ts');
    return mutants.map((mutant) => {
      const file = join(folder, 'src/attestation', mutant.file);
      const original = join(ROOT, 'src/attestation', mutant.file);
      writeFileSync(file, mutant.text);
      const results = new Implementation([process.execPath, runner]).results(cases);
      cpSync(original, file);
      const changed = results.filter(({ outcome }) => outcome !== 'pass');
      return {
        mutant,
        changed,
        accepted: changed.filter(({ output }) => output.verdict === 'accepted'),
        foreign: changed.filter(({ one }) => one.check !== mutant.check),
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function reasonOf({ mutant: { file, removed } }: Proof): string | undefined {
  return REASONS[`${file}: ${removed}`];
}

/** What is wrong with a proof, if anything is. */
export function faultOf(proof: Proof): string | undefined {
  if (proof.foreign.length > 0) return `changes ${proof.foreign.map(({ one }) => one.id).join(', ')}`;
  return proof.changed.length > 0 || reasonOf(proof) !== undefined ? undefined : 'changes no case';
}

function rowOf(proof: Proof): string {
  const { mutant, changed, accepted } = proof;
  const shown = (accepted.length > 0 ? accepted : changed).slice(0, 3).map(({ one }) => `\`${one.id}\``);
  const note = accepted.length > 0 ? '' : (reasonOf(proof) ?? '');
  const cells = [mutant.check, `${mutant.file}: \`${mutant.removed.replaceAll('|', '\\|')}\``];
  return `| ${[...cells, changed.length, accepted.length, [...shown, note].filter((part) => part !== '').join(', ')].join(' | ')} |`;
}

if (import.meta.main) {
  const [part = 1, parts = 1] = (process.argv[2] ?? '1/1').split('/').map(Number);
  const mutants = [...checkMutants(), ...refusalMutants()].filter((_, index) => index % parts === part - 1);
  const cases = readSuite();
  console.log(
    '| check | removed | cases that change | of these accepted | for example |\n| --- | --- | --- | --- | --- |',
  );
  for (const mutant of mutants) {
    const [proof] = prove([mutant], cases);
    if (proof === undefined) continue;
    console.log(rowOf(proof));
    const fault = faultOf(proof);
    if (fault === undefined) continue;
    console.error(`${mutant.file}: ${mutant.removed} ${fault}`);
    process.exitCode = 1;
  }
}
