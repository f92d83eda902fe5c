import assert from 'node:assert/strict';
import {
  judgeSidePrompts,
  recommendedChanges,
  sealingChanges,
  turningOffChanges,
} from '../../../../src/chat/sidePrompts/judge.ts';
import type { SettingChange } from '../../../../src/chat/sidePrompts/judge.ts';
import { markText } from '../../../../src/chat/sidePrompts/mark.ts';
import { SETTINGS } from '../../../../src/chat/sidePrompts/settings.ts';
import { COPILOTS, OTHER, OUR_LARGE, OUR_SMALL, makeFacts } from '../../../support/editorFacts.ts';
import type { FactsChange } from '../../../support/editorFacts.ts';

const TITLES = 'Titles, summaries, commit messages';
const REVIEWS = 'Reviews, debug setup, settings search';
const FALLBACK = 'Fallback for the utility models';
const REST = 'Semantic search and the rest of GitHub Copilot';

/** What keeps everything sealed that can be. */
const SEALING = {
  [SETTINGS.utilitySmall]: 'sealed-proxy/small-1',
  [SETTINGS.utility]: 'sealed-proxy/small-1',
  [SETTINGS.utilityFallback]: 'none',
  [SETTINGS.plan]: 'Large 1 (sealed-proxy)',
  [SETTINGS.explore]: 'Large 1 (sealed-proxy)',
  [SETTINGS.inlineChat]: 'Large 1 (sealed-proxy)',
};

function marks(change: FactsChange = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(judgeSidePrompts(makeFacts(change)).map(({ title, mark }) => [title, markText(mark)]));
}

const markOf = (title: string, change: FactsChange) => marks(change)[title];
const set = (key: string, value: unknown, change: FactsChange = {}) => ({ ...change, values: { [key]: value } });
const SIGNED_OUT = { models: [OUR_LARGE, OUR_SMALL, OTHER] };
const NO_COPILOT = {
  ...SIGNED_OUT,
  values: Object.fromEntries(
    Object.values(SETTINGS)
      .filter((key) => key.startsWith('github.copilot.'))
      .map((key) => [key, undefined]),
  ),
};

const MODELS_CHOSEN = { utility: OUR_SMALL, agent: OUR_LARGE };

const valuesOf = (changes: readonly SettingChange[]) =>
  Object.fromEntries(changes.map(({ key, value }) => [key, value]));
const sealing = (change: FactsChange = {}) => valuesOf(sealingChanges(makeFacts(change), MODELS_CHOSEN));

describe('judgeSidePrompts()', () => {
  it('says where a new profile sends them', () => {
    assert.deepEqual(marks(), {
      [TITLES]: 'goes to GitHub',
      [REVIEWS]: 'goes to GitHub',
      [FALLBACK]: 'goes to GitHub',
      'Risk of tool calls': 'goes to GitHub',
      'Plan agent': 'follows the selected model',
      'Explore agent': 'follows the selected model',
      'Ask agent': 'follows the selected model',
      'Implementation of a plan': 'follows the selected model',
      'Inline chat': 'goes to GitHub',
      'Model of new chats': 'follows the selected model',
      'Agent host': 'cannot be sealed',
      'Ghost text': 'cannot be sealed',
      'Next edit suggestions': 'cannot be sealed',
      'Search and execution subagents': 'unknown',
      Dictation: 'cannot be sealed',
      [REST]: 'cannot be sealed',
      'Chats with models of Other Vendor': 'goes to Other Vendor',
      'Chats with models of GitHub': 'goes to GitHub',
    });
  });

  it('marks those as sealed that go to models of ours which the editor offers', () => {
    const sealed = marks({ values: SEALING });
    const titles = [TITLES, REVIEWS, 'Risk of tool calls', 'Plan agent', 'Explore agent', 'Inline chat'];
    for (const title of titles) assert.equal(sealed[title], 'sealed', title);
  });

  it('marks none as sealed while the editor does not offer our models', () => {
    const shown = marks({ values: SEALING, models: [OTHER, COPILOTS] });
    assert.ok(!Object.values(shown).includes('sealed'));
    for (const title of [TITLES, REVIEWS, 'Risk of tool calls', 'Inline chat'])
      assert.equal(shown[title], 'goes to GitHub', title);
  });

  it('marks none as sealed with a development backend', () => {
    const shown = marks({ values: { ...SEALING, [SETTINGS.newChats]: 'small-1' }, attested: false });
    assert.ok(!Object.values(shown).includes('sealed'));
    for (const title of [TITLES, 'Risk of tool calls', 'Inline chat', 'Model of new chats'])
      assert.equal(shown[title], 'goes to a development backend', title);
  });

  it('marks none as sealed if two models have the id, because VS Code then takes neither', () => {
    assert.equal(markOf(TITLES, { values: SEALING, models: [OUR_SMALL, OUR_SMALL, COPILOTS] }), 'goes to GitHub');
  });

  for (const version of ['1.138.0', '1.140.0', '1.139-insider', '2.0.0', '']) {
    it(`marks none as sealed, off or following in VS Code "${version}", which it does not know`, () => {
      const shown = Object.values(marks({ values: { ...SEALING, [SETTINGS.nextEdits]: false }, version }));
      assert.ok(shown.includes('unknown'));
      for (const mark of ['sealed', 'off', 'follows the selected model']) assert.ok(!shown.includes(mark), mark);
    });
  }

  it('lists settings that it does not know and that may name a model', () => {
    const known = makeFacts().modelSettings;
    const shown = marks({ modelSettings: [...known, 'chat.poetry.model', 'chat.somethingElse'] });
    assert.equal(shown['Setting chat.poetry.model'], 'unknown');
    assert.deepEqual(
      Object.keys(shown).filter((title) => title.startsWith('Setting ')),
      ['Setting chat.poetry.model'],
    );
  });

  it('says that it does not know what the editor does without the setting', () => {
    for (const [title, key] of [
      [TITLES, SETTINGS.utilitySmall],
      [FALLBACK, SETTINGS.utilityFallback],
      ['Explore agent', SETTINGS.explore],
      ['Agent host', SETTINGS.agentHost],
    ] as const) {
      assert.equal(markOf(title, set(key, undefined)), 'unknown', title);
    }
  });

  it('names the vendor of another model', () => {
    assert.equal(markOf(TITLES, set(SETTINGS.utilitySmall, 'other/large-1')), 'goes to Other Vendor');
    assert.equal(markOf('Plan agent', set(SETTINGS.plan, 'Large 1 (other)')), 'goes to Other Vendor');
    assert.equal(markOf('Inline chat', set(SETTINGS.inlineChat, 'GPT-9')), 'goes to GitHub');
    assert.equal(markOf('Explore agent', set(SETTINGS.exploreOld, 'Gone (copilot)')), 'goes to GitHub');
    assert.equal(markOf('Explore agent', set(SETTINGS.explore, 'Gone (other)')), 'follows the selected model');
  });

  it('ignores values that name no model', () => {
    for (const value of ['large-1', '/', 'sealed-proxy/', '/small-1', 7, null])
      assert.equal(markOf(TITLES, set(SETTINGS.utilitySmall, value)), 'goes to GitHub', String(value));
  });

  it('never calls the fallback sealed: before the first chat of a window it is not used', () => {
    for (const value of ['none', 'mainAgent'])
      assert.equal(markOf(FALLBACK, set(SETTINGS.utilityFallback, value)), 'cannot be sealed');
    assert.equal(markOf(FALLBACK, set(SETTINGS.utilityFallback, 'anything')), 'goes to GitHub');
  });

  it('follows the small utility model for risks, unless they are off or have a model of GitHub', () => {
    const title = 'Risk of tool calls';
    const change = (values: object) => ({ values: { ...SEALING, ...values } });
    assert.equal(markOf(title, change({ [SETTINGS.riskAssessment]: false })), 'off');
    assert.equal(markOf(title, change({ [SETTINGS.riskModel]: 'gpt-9' })), 'goes to GitHub');
    assert.equal(markOf(title, change({ [SETTINGS.riskModel]: 'small-1' })), 'goes to GitHub');
  });

  it('calls new chats sealed only if no other vendor has a model with this id', () => {
    const title = 'Model of new chats';
    assert.equal(markOf(title, set(SETTINGS.newChats, 'Small-1')), 'sealed');
    assert.equal(markOf(title, set(SETTINGS.newChats, 'large-1')), 'goes to Other Vendor');
    assert.equal(markOf(title, set(SETTINGS.newChats, 'auto')), 'goes to GitHub');
  });

  it('says that ghost text and suggestions are off only if they are off for every language', () => {
    assert.equal(markOf('Ghost text', set(SETTINGS.ghostText, { '*': false, plaintext: false })), 'off');
    assert.equal(markOf('Ghost text', set(SETTINGS.ghostText, { '*': false, c: true })), 'cannot be sealed');
    assert.equal(markOf('Ghost text', set(SETTINGS.ghostText, { c: false })), 'cannot be sealed');
    assert.equal(markOf('Next edit suggestions', set(SETTINGS.nextEdits, false)), 'off');
    const overridden = { overridden: [SETTINGS.nextEdits, SETTINGS.ghostText] };
    assert.equal(markOf('Next edit suggestions', set(SETTINGS.nextEdits, false, overridden)), 'cannot be sealed');
    assert.equal(markOf('Ghost text', set(SETTINGS.ghostText, { '*': false }, overridden)), 'cannot be sealed');
  });

  it('says that subagents are off only if the user has turned off both', () => {
    const both = { [SETTINGS.searchSubagent]: false, [SETTINGS.executionSubagent]: false };
    assert.equal(markOf('Search and execution subagents', { values: both }), 'off');
    assert.equal(markOf('Search and execution subagents', set(SETTINGS.searchSubagent, true)), 'cannot be sealed');
  });

  it('says to whom dictation goes', () => {
    assert.equal(markOf('Dictation', set(SETTINGS.dictation, false)), 'off');
    assert.equal(markOf('Dictation', set(SETTINGS.dictationModel, 'mai')), 'goes to Microsoft');
    assert.equal(markOf('Dictation', set(SETTINGS.dictationCleanup, false)), 'off');
  });

  it('says that nothing goes to GitHub before the user signs in', () => {
    const shown = marks(SIGNED_OUT);
    assert.equal(shown[TITLES], 'goes to GitHub if you sign in');
    assert.ok(!Object.values(shown).includes('goes to GitHub'));
    const reasons = judgeSidePrompts(makeFacts(SIGNED_OUT)).map(({ reason }) => reason);
    assert.deepEqual(
      reasons.filter((reason) => reason.includes('Goes to GitHub.')),
      [],
    );
  });

  it('counts the models of all services of GitHub as those of GitHub, and knows when the user is not signed in', () => {
    const cli = { vendor: 'copilotcli', id: 'auto', name: 'Auto' };
    const shown = marks({ models: [OUR_LARGE, cli] });
    assert.equal(shown['Chats with models of GitHub'], 'goes to GitHub if you sign in');
    assert.equal(
      markOf('Inline chat', set(SETTINGS.inlineChat, 'Auto (copilotcli)', SIGNED_OUT)),
      'goes to GitHub if you sign in',
    );
  });

  it('follows the chat without a utility model if the fallback is the main agent and nobody is signed in', () => {
    const fallback = { [SETTINGS.utilityFallback]: 'mainAgent' };
    assert.equal(markOf(TITLES, { ...SIGNED_OUT, values: fallback }), 'follows the selected model');
    assert.equal(markOf(TITLES, { values: fallback }), 'goes to GitHub');
  });

  it('says that nothing is sent by an extension that is not enabled', () => {
    const shown = marks(NO_COPILOT);
    for (const title of [TITLES, FALLBACK, 'Agent host', 'Ghost text', 'Ask agent', REST])
      assert.equal(shown[title], 'off', title);
    assert.equal(markOf(TITLES, { ...NO_COPILOT, version: '1.150.0' }), 'unknown');
  });

  it('marks everything as off if AI features are off', () => {
    const shown = marks(set(SETTINGS.aiOff, true));
    assert.deepEqual([...new Set(Object.values(shown))], ['off']);
  });

  it('says that the agent host can or cannot use our models', () => {
    const reasonOf = (value: boolean) =>
      judgeSidePrompts(makeFacts(set(SETTINGS.agentHost, value))).find(({ title }) => title === 'Agent host')?.reason;
    assert.match(reasonOf(true) ?? '', /^Can use models of Sealed Proxy\. .* go to GitHub; no setting changes that\.$/);
    assert.match(reasonOf(false) ?? '', /^Cannot use models of Sealed Proxy/);
  });

  it('says that a workspace has set the model', () => {
    const facts = makeFacts({ values: SEALING, overridden: [SETTINGS.plan] });
    const plan = judgeSidePrompts(facts).find(({ title }) => title === 'Plan agent');
    assert.equal(plan?.reason, 'Set to Large 1 by the workspace.');
  });
});

describe('sealingChanges()', () => {
  it('sets what is not set yet, in the form that each setting expects', () => {
    assert.deepEqual(sealing(), {
      'chat.utilitySmallModel': 'sealed-proxy/small-1',
      'chat.utilityModel': 'sealed-proxy/small-1',
      'chat.byokUtilityModelDefault': 'none',
      'chat.planAgent.defaultModel': 'Large 1 (sealed-proxy)',
      'chat.exploreAgent.defaultModel': 'Large 1 (sealed-proxy)',
      'inlineChat.defaultModel': 'Large 1 (sealed-proxy)',
      'chat.agentHost.byokModels.enabled': true,
    });
  });

  it('leads to marks that are sealed', () => {
    const change = { [SETTINGS.riskModel]: 'gpt-9', [SETTINGS.ask]: 'GPT-9 (copilot)' };
    const after = makeFacts({ values: { ...change, ...sealing({ values: change }) } });
    const sealed = judgeSidePrompts(after).filter(({ mark }) => mark.kind === 'sealed');
    assert.equal(sealed.length, 7);
    assert.deepEqual(sealingChanges(after, MODELS_CHOSEN), []);
  });

  it('leaves out what the user has set already and a workspace overrides', () => {
    const change = { values: SEALING, overridden: [SETTINGS.plan] };
    const facts = makeFacts(change);
    const overriding = (key: string) => {
      const setting = facts.setting(key);
      return key === SETTINGS.plan && setting !== undefined ? { ...setting, value: 'GPT-9 (copilot)' } : setting;
    };
    const changes = sealingChanges({ ...facts, setting: overriding }, MODELS_CHOSEN);
    assert.deepEqual(valuesOf(changes), { [SETTINGS.agentHost]: true });
  });

  it('leaves out settings that the editor does not have', () => {
    assert.ok(!(SETTINGS.agentHost in sealing({ values: { [SETTINGS.agentHost]: undefined } })));
  });

  it('changes the ask agent and the implementation of a plan only if they have a model of others', () => {
    const values = { [SETTINGS.ask]: 'GPT-9 (copilot)', [SETTINGS.implement]: 'Small 1 (sealed-proxy)' };
    const changes = sealing({ values });
    assert.equal(changes[SETTINGS.ask], 'Large 1 (sealed-proxy)');
    assert.ok(!(SETTINGS.implement in changes));
  });
});

describe('recommendedChanges()', () => {
  const recommended = (values: Readonly<Record<string, unknown>>) =>
    valuesOf(recommendedChanges(makeFacts({ values }), MODELS_CHOSEN));

  it('seals the same, and keeps other models of ours that the user has chosen', () => {
    assert.deepEqual(recommended({}), sealing());
    const chosen = { [SETTINGS.utility]: 'sealed-proxy/large-1', [SETTINGS.plan]: 'Small 1 (sealed-proxy)' };
    const changes = recommended({ ...chosen, [SETTINGS.explore]: 'Large 1 (other)' });
    for (const key of Object.keys(chosen)) assert.ok(!(key in changes), key);
    assert.equal(changes[SETTINGS.explore], 'Large 1 (sealed-proxy)');
  });
});

describe('turningOffChanges()', () => {
  it('turns off what has a setting for it, for every language', () => {
    const changes = valuesOf(turningOffChanges(makeFacts()));
    assert.deepEqual(changes, {
      'github.copilot.enable': { '*': false, plaintext: false },
      'github.copilot.nextEditSuggestions.enabled': false,
      'dictation.experimental.llmCleanup': false,
      'github.copilot.chat.searchSubagent.enabled': false,
      'github.copilot.chat.executionSubagent.enabled': false,
    });
    const off = judgeSidePrompts(makeFacts({ values: changes })).filter(({ mark }) => mark.kind === 'off');
    assert.equal(off.length, 4);
    assert.deepEqual(turningOffChanges(makeFacts({ values: changes })), []);
  });

  it('turns dictation off where Microsoft hears the speech, and only the corrections otherwise', () => {
    const values = { [SETTINGS.dictationModel]: 'mai' };
    const changes = valuesOf(turningOffChanges(makeFacts({ values })));
    assert.deepEqual([changes[SETTINGS.dictation], changes[SETTINGS.dictationCleanup]], [false, undefined]);
    assert.equal(markOf('Dictation', { values: { ...values, ...changes } }), 'off');
  });
});
