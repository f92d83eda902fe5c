import assert from 'node:assert/strict';
import { judgeSidePrompts } from '../../../src/chat/sidePrompts/judge.ts';
import { markText } from '../../../src/chat/sidePrompts/mark.ts';
import { SETTINGS } from '../../../src/chat/sidePrompts/settings.ts';
import type { SidePromptsSection } from '../../../src/dashboard/model.ts';
import { sidePromptsSection } from '../../../src/dashboard/sidePrompts.ts';
import { OUR_LARGE, OUR_SMALL, makeFacts } from '../../support/editorFacts.ts';
import type { FactsChange } from '../../support/editorFacts.ts';

const RECOMMENDED = { utility: OUR_SMALL, agent: OUR_LARGE };

function sectionOf(change: FactsChange = {}): SidePromptsSection {
  const facts = makeFacts(change);
  const reading = { facts, prompts: judgeSidePrompts(facts) };
  return sidePromptsSection(reading, { recommended: RECOMMENDED, offered: 2, undoable: 0 });
}

describe('sidePromptsSection()', () => {
  const rowOf = (title: string, change: FactsChange = {}) => {
    const row = sectionOf(change).rows.find((each) => each.title === title);
    assert.ok(row, title);
    return row;
  };

  it('says where each one goes now, and where after sealing', () => {
    const places = (title: string, change?: FactsChange) => {
      const { now, after } = rowOf(title, change);
      return [now, after].map((mark) => mark && markText(mark));
    };
    assert.deepEqual(places('Inline chat'), ['goes to GitHub', 'sealed']);
    assert.deepEqual(places('Ghost text'), ['cannot be sealed', 'cannot be sealed']);
    assert.deepEqual(places('Ask agent'), ['follows the selected model', 'follows the selected model']);
    const unverified = 'goes to a development backend';
    assert.deepEqual(places('Inline chat', { attested: false }), ['goes to GitHub', unverified]);
    assert.deepEqual(places('Inline chat', { version: '1.150.0' }), ['goes to GitHub', 'unknown']);
  });

  it('does not promise what a workspace overrides', () => {
    const values = { [SETTINGS.plan]: 'GPT-9 (copilot)' };
    const { after, settings } = rowOf('Plan agent', { values, overridden: [SETTINGS.plan] });
    assert.equal(after && markText(after), 'goes to GitHub');
    assert.deepEqual(settings, [{ key: SETTINGS.plan, now: 'GPT-9 (copilot)', after: 'GPT-9 (copilot)' }]);
  });

  it('names the settings with their values, also those that sealing does not change', () => {
    assert.deepEqual(rowOf('Risk of tool calls', { values: { [SETTINGS.riskModel]: 'gpt-9' } }).settings, [
      { key: SETTINGS.riskModel, now: 'gpt-9', after: 'copilot-utility-small' },
      { key: SETTINGS.riskAssessment, now: true, after: true },
    ]);
  });

  it('says what can only be turned off, also without GitHub Copilot', () => {
    const dictation = { [SETTINGS.dictation]: true, [SETTINGS.dictationModel]: 'mai' };
    const row = rowOf('Dictation', {
      models: [OUR_LARGE, OUR_SMALL],
      values: { ...dictation, [SETTINGS.ghostText]: undefined },
    });
    assert.deepEqual([row.now.kind, row.canTurnOff], ['goesTo', true]);
    assert.match(row.reason, /cannot be sealed, only turned off \(dictation\.enabled\)\.$/);
    assert.equal(rowOf('Dictation', { values: { ...dictation, [SETTINGS.dictation]: false } }).canTurnOff, false);
    assert.equal(rowOf('Inline chat').canTurnOff, false);
  });

  it('guesses nothing while no model is recommended', () => {
    const facts = makeFacts({ models: [] });
    const reading = { facts, prompts: judgeSidePrompts(facts) };
    const section = sidePromptsSection(reading, { recommended: undefined, offered: 0, undoable: 1 });
    assert.deepEqual(new Set(section.rows.map(({ after }) => after)), new Set([null]));
    const { recommended, changes, hasChoice, canUndo } = section;
    assert.deepEqual(
      { recommended, changes, hasChoice, canUndo },
      {
        ...{ recommended: null, changes: 0, hasChoice: false, canUndo: true },
      },
    );
  });

  it('leaves out chats, for which the user selects the model', () => {
    const titles = sectionOf().rows.map(({ title }) => title);
    assert.equal(titles.length, 16);
    assert.ok(!titles.some((title) => title.startsWith('Chats with')));
  });
});
