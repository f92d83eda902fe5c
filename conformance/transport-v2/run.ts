// Runs the suite against a client, by default the built proxy: node conformance/transport-v2/run.ts [OPTION ...]
// Fails if an outcome differs; with --exact, also if a client holds back what was authentic.
import { parseArgs } from 'node:util';
import { type Command, parseCommand } from './client.ts';
import { playAll } from './play.ts';
import { AREAS, areaOf, readSuite } from './suite.ts';
import { PROXY } from './proxy.ts';

const { values } = parseArgs({
  options: {
    client: { type: 'string' },
    exact: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
});
const command: Command = values.client === undefined ? PROXY : parseCommand(values.client);
const cases = readSuite().filter(({ id }) => id.startsWith(values.only));
const results = await playAll(cases, command, Number(values.lanes));

const OUTCOMES = ['pass', 'held back', 'differs'] as const;
console.log(`| area | cases | ${OUTCOMES.join(' | ')} |`);
console.log(`| --- | --- | ${OUTCOMES.map(() => '---').join(' | ')} |`);
for (const area of [...AREAS, 'all']) {
  const own = results.filter(({ one }) => area === 'all' || areaOf(one) === area);
  if (own.length === 0) continue;
  const counts = OUTCOMES.map((outcome) => own.filter((result) => result.outcome === outcome).length);
  console.log(`| ${[area, own.length, ...counts].join(' | ')} |`);
}

const shown = results.filter(({ outcome }) => outcome === 'differs' || (values.exact && outcome === 'held back'));
if (shown.length > 0) console.log('\n| case | clause | found |\n| --- | --- | --- |');
for (const { one, differences } of shown) {
  console.log(`| ${[one.id, one.clause, differences.join('; ').replaceAll(/[|\n]/g, ' ')].join(' | ')} |`);
}
process.exitCode = shown.length === 0 && results.length > 0 ? 0 : 1;
