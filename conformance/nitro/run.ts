// Runs the suite against an implementation: node conformance/nitro/run.ts [--exact] COMMAND [ARGUMENT ...]
// Fails if a required verdict differs; with --exact, also if any other verdict or a code does.
import { AREAS } from './generator/cases.ts';
import { Implementation, type Outcome, areaOf, readSuite } from './suite.ts';

const [first, ...rest] = process.argv.slice(2);
const isExact = first === '--exact';
const command = isExact ? rest : process.argv.slice(2);
if (command.length === 0) {
  console.error('Usage: node conformance/nitro/run.ts [--exact] COMMAND [ARGUMENT ...]');
  process.exit(2);
}

const implementation = new Implementation(command);
const results = implementation.results(readSuite());
const OUTCOMES: readonly Outcome[] = ['pass', 'other code', 'differs', 'not supported'];

console.log(`# ${implementation.capabilities.name}\n`);
console.log(`| area | cases | ${OUTCOMES.join(' | ')} |`);
console.log(`| --- | --- | ${OUTCOMES.map(() => '---').join(' | ')} |`);
for (const area of [...AREAS, 'all']) {
  const own = results.filter(({ one }) => area === 'all' || areaOf(one) === area);
  const counts = OUTCOMES.map((outcome) => own.filter((result) => result.outcome === outcome).length);
  console.log(`| ${[area, own.length, ...counts].join(' | ')} |`);
}

const differing = results.filter(({ outcome }) => outcome === 'differs' || (isExact && outcome === 'other code'));
if (differing.length > 0)
  console.log('\n| case | strength | clause | expected | found |\n| --- | --- | --- | --- | --- |');
for (const { one, output } of differing) {
  const expected = one.expected.verdict === 'rejected' ? one.expected.code : 'accepted';
  const found = [output.verdict, output.code, output.message].filter((part) => part !== undefined).join(': ');
  console.log(`| ${[one.id, one.strength, one.clause, expected, found.replaceAll(/[|\n]/g, ' ')].join(' | ')} |`);
}
const failed = differing.filter(({ one }) => isExact || one.strength === 'required');
process.exitCode = failed.length === 0 ? 0 : 1;
