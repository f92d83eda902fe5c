import assert from 'node:assert/strict';
import { chatModels } from '../../../../src/chat/models.ts';
import { proposeAgentModel, proposeUtilityModel } from '../../../../src/chat/sidePrompts/proposal.ts';
import type { ModelList } from '../../../../src/chat/sidePrompts/proposal.ts';
import { MODELS } from '../../../../src/devEnclave/model/catalogue.ts';
import { OUR_LARGE, OUR_SMALL } from '../../../support/editorFacts.ts';

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
