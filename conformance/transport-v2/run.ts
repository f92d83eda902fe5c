// Runs the suite against a client, by default the built proxy: node conformance/transport-v2/run.ts [OPTION ...]
//   --client COMMAND  the client to test, as README.md describes it
//   --exact           also fail where the profile decides, and where a client holds back what was authentic
//   --lanes N         how many clients run at a time; default 8
//   --only TEXT       only cases whose id begins with this text
import { parseArgs } from 'node:util';
import { type Command, parseCommand } from './client.ts';
import { playAll } from './play.ts';
import { PROXY } from './proxy.ts';
import { AREAS, areaOf, readSuite } from './suite.ts';

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
if (shown.length > 0) console.log('\n| case | strength | clause | found |\n| --- | --- | --- | --- |');
for (const { one, differences } of shown) {
  const found = differences.join('; ').replaceAll(/[|\n]/g, ' ');
  console.log(`| ${[one.id, one.strength, one.clause, found].join(' | ')} |`);
}
const failed = shown.filter(({ one }) => values.exact || one.strength === 'required');
process.exitCode = failed.length === 0 && results.length > 0 ? 0 : 1;
