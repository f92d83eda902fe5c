// Whatever surrounds a released assistant, the judgement of where its prompts go is true: an observer in the place of every
// other provider and of an HTTP proxy sees no prompt of an assistant that is judged sealed.
import assert from 'node:assert/strict';
import { behaves } from '../support/assistants/behaves.ts';
import { nameOf } from '../support/assistants/configuration.ts';
import { CLAUDE_CODE } from '../support/assistants/surroundings/claudeCode.ts';
import { CODEX } from '../support/assistants/surroundings/codex.ts';
import { KILO, OPENCODE } from '../support/assistants/surroundings/opencode.ts';
import { CLINE, CONTINUE } from '../support/assistants/surroundings/others.ts';
import { qwenCode } from '../support/assistants/surroundings/qwenCode.ts';
import { Laboratory } from '../support/assistants/surroundings/run.ts';
import type { Outcome } from '../support/assistants/surroundings/run.ts';
import type { Surrounding } from '../support/assistants/surroundings/surrounding.ts';
import { writeTable } from '../support/assistants/table.ts';
import { MODEL } from '../support/e2e/chat.ts';
import { startAll } from '../support/e2e/limiter.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { perSuite } from '../support/e2e/scope.ts';

const ROWS: Readonly<Record<string, readonly Surrounding[]>> = {
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  continue: CONTINUE,
  cline: CLINE,
  kilo: KILO,
  opencode: OPENCODE,
  'qwen-code': qwenCode(MODEL),
};
/** Runs at the same time. Cline's share a background process. */
const widthOf = (id: string) => (id === 'cline' ? 1 : 2);
const IS_COMPLETE = process.env['ASSISTANTS_SURROUNDINGS'] === 'all';
const COLUMNS = ['assistant', 'surrounding', 'observer with 0.7.0', 'observer now', 'enclave now', 'judgement now'];

/** Both runs of a row. The first one shows that the observer sees the prompts if nothing is done about it. */
interface Observation {
  /** Undefined if the second one shows it. */
  readonly before: Outcome | undefined;
  readonly after: Outcome;
}

describe('Assistants in their surroundings', () => {
  const scope = perSuite();
  const lines: string[][] = [];
  let laboratory: Promise<Laboratory>;

  before(() => {
    laboratory = Laboratory.open(scope);
  });

  after(() => {
    writeTable(fromRoot('.cache/assistants/surroundings.md'), COLUMNS, lines);
  });

  for (const [id, all] of Object.entries(ROWS)) {
    const rows = all.filter(({ isExtra }) => isExtra !== true || IS_COMPLETE);
    const name = nameOf(id);

    describe(name, () => {
      let observations: ReadonlyMap<Surrounding, Promise<Observation>>;

      before(() => {
        observations = startAll(rows, widthOf(id), (row) => observe(id, row));
      });

      for (const row of rows)
        behaves(id, `is judged truly with ${row.name}`, async () => {
          const observation = await observations.get(row);
          assert.ok(observation);
          const { before, after } = observation;
          const { left, sealed, judgement, output } = after;
          lines.push([name, row.name, describeLeft(before), describeLeft(after), String(sealed), judgement.kind]);
          const told = `${judgement.kind}: ${judgement.sentence}\n${left.join('\n')}\n${output}`;
          if (left.length > 0) assert.notEqual(judgement.kind, 'sealed', told);
          assert.equal(judgement.kind === 'sealed' ? 'sealed' : 'told', row.after, told);
          // Otherwise a run without any request would prove the judgement.
          if (judgement.kind === 'sealed') assert.ok(sealed > 0, told);
          if (before === undefined) return;
          assert.equal(before.left.length > 0, row.before === 'leave', before.output);
          if (before.left.length > 0) assert.notEqual(before.judgement.kind, 'sealed', before.judgement.sentence);
        });
    });
  }

  async function observe(id: string, row: Surrounding): Promise<Observation> {
    const place = await laboratory;
    const isShown = row.before === 'stay' || row.after === 'told'; // by the second run
    const before = IS_COMPLETE || !isShown ? await place.run(id, row, 'version 0.7.0') : undefined;
    return { before, after: await place.run(id, row, 'this version') };
  }
});

function describeLeft(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'not run';
  return outcome.left.length === 0 ? 'nothing' : [...new Set(outcome.left)].join(', ');
}
