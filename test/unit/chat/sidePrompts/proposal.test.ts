import assert from 'node:assert/strict';
import { chatModels } from '../../../../src/chat/models.ts';
import { judgeSidePrompts } from '../../../../src/chat/sidePrompts/judge.ts';
import {
  proposeAgentModel,
  proposeUtilityModel,
  sealingChanges,
  turningOffChanges,
} from '../../../../src/chat/sidePrompts/proposal.ts';
import type { ModelList, SettingChange } from '../../../../src/chat/sidePrompts/proposal.ts';
import { SETTINGS } from '../../../../src/chat/sidePrompts/settings.ts';
import { MODELS } from '../../../../src/devEnclave/model/catalogue.ts';
import { OUR_LARGE, OUR_SMALL, makeFacts } from '../../../support/editorFacts.ts';
import type { FactsChange } from '../../../support/editorFacts.ts';

const MODELS_CHOSEN = { utility: OUR_SMALL, agent: OUR_LARGE };

const valuesOf = (changes: readonly SettingChange[]) =>
  Object.fromEntries(changes.map(({ key, value }) => [key, value]));
const sealing = (change: FactsChange = {}) => valuesOf(sealingChanges(makeFacts(change), MODELS_CHOSEN));

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
});

function listOf(entries: readonly { readonly id: string; readonly [field: string]: unknown }[]): ModelList {
  const list = { data: entries };
  const known = chatModels(list, {});
  return { offered: known.map(({ id, name }) => ({ vendor: 'sealed-proxy', id, name })), known, list };
}

describe('proposeUtilityModel()', () => {
  const proposed = (...entries: readonly { readonly id: string; readonly [field: string]: unknown }[]) =>
    proposeUtilityModel(listOf(entries))?.id;
  const skills = (reasoning: boolean, tool_use = true) => ({ capabilities: { chat: true, reasoning, tool_use } });

  it('proposes a model that answers at once and calls tools, of those that the development enclave has', () => {
    assert.equal(proposed(...MODELS), 'gemma4-31b');
  });

  it('prefers no reasoning, then tools, then what is called fast or small, then fewer parameters, then the order', () => {
    assert.equal(proposed({ id: 'a-flash', ...skills(true) }, { id: 'b', ...skills(false) }), 'b');
    assert.equal(proposed({ id: 'a-flash', ...skills(false, false) }, { id: 'b', ...skills(false) }), 'b');
    assert.equal(proposed({ id: 'a-7b', ...skills(false) }, { id: 'b-mini-70b', ...skills(false) }), 'b-mini-70b');
    assert.equal(proposed({ id: 'a' }, { id: 'b', badges: ['Fast'] }), 'b');
    assert.equal(proposed({ id: 'a-120b' }, { id: 'b-3.5b' }, { id: 'c-31b' }), 'b-3.5b');
    assert.equal(proposed({ id: 'a' }, { id: 'b' }), 'a');
  });

  it('proposes one even if the backend says nothing about its models, and none without models', () => {
    assert.equal(proposeUtilityModel({ offered: [OUR_LARGE, OUR_SMALL], known: [], list: {} }), OUR_SMALL);
    assert.equal(proposed(), undefined);
  });
});

describe('proposeAgentModel()', () => {
  it('proposes a model that calls tools, the one for coding first', () => {
    assert.equal(proposeAgentModel(listOf(MODELS))?.id, 'glm-5-2');
    const noTools = { id: 'a', badges: ['Coding'], capabilities: { chat: true, tool_use: false } };
    assert.equal(proposeAgentModel(listOf([noTools, { id: 'b' }]))?.id, 'b');
  });
});
