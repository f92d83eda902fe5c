import assert from 'node:assert/strict';
import { isVerifiedVersion, qualifiedTarget, utilityTarget } from '../../../../src/chat/sidePrompts/facts.ts';
import { COPILOTS, OTHER, OUR_LARGE } from '../../../support/editorFacts.ts';

const MODELS = [OTHER, OUR_LARGE, COPILOTS];

describe('isVerifiedVersion()', () => {
  it('accepts a minor version whose handling of settings was read, and no other', () => {
    assert.ok(isVerifiedVersion('1.139.0'));
    assert.ok(isVerifiedVersion('1.139.7'));
    for (const version of ['1.13', '1.1390.0', '1.140.0', '11.139.0', '1.139.0-insider', ''])
      assert.ok(!isVerifiedVersion(version), version);
  });
});

describe('utilityTarget()', () => {
  it('finds the model with this vendor and id', () => {
    assert.deepEqual(utilityTarget('sealed-proxy/large-1', MODELS), { kind: 'model', model: OUR_LARGE });
    assert.deepEqual(utilityTarget('gone/a/b', MODELS), { kind: 'notOffered', vendor: 'gone' });
    assert.deepEqual(utilityTarget('', MODELS), { kind: 'none' });
  });
});

describe('qualifiedTarget()', () => {
  it('finds the model with this name and vendor; a name alone is a model of Copilot', () => {
    assert.deepEqual(qualifiedTarget('Large 1 (sealed-proxy)', MODELS), { kind: 'model', model: OUR_LARGE });
    assert.deepEqual(qualifiedTarget('GPT-9', MODELS), { kind: 'model', model: COPILOTS });
    assert.deepEqual(qualifiedTarget('Large 1', MODELS), { kind: 'notOffered', vendor: 'copilot' });
    assert.deepEqual(qualifiedTarget('Large (1) (gone)', MODELS), { kind: 'notOffered', vendor: 'gone' });
  });
});
