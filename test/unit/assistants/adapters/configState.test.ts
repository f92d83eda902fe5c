import assert from 'node:assert/strict';
import {
  classifyConfig,
  describeConfigState,
  describeOutdated,
} from '../../../../src/assistants/adapters/configState.ts';
import { judge } from '../../../../src/assistants/judge.ts';
import type { Judgement } from '../../../../src/assistants/judging/judgement.ts';
import { KEY, OTHER_KEY, THEIR_KEY, URL } from '../../../support/assistantFiles.ts';

const EXPECTED = { home: '/nowhere', baseUrl: URL, key: KEY };
const ENTRY = { baseUrl: URL, key: KEY, model: 'm' };

describe('classifyConfig()', () => {
  it('passes on why a configuration could not be read', () => {
    const refusal = { kind: 'refused', message: 'It cannot be read.' } as const;
    assert.equal(classifyConfig(refusal, EXPECTED), refusal);
  });

  it('recognises the expected entry', () => {
    assert.deepEqual(classifyConfig({ entry: ENTRY }, EXPECTED), { kind: 'current', model: 'm' });
  });

  it('does not compare the address while it is unknown', () => {
    assert.deepEqual(classifyConfig({ entry: ENTRY }, { ...EXPECTED, baseUrl: undefined }), {
      kind: 'current',
      model: 'm',
      uncompared: true,
    });
  });

  it('recognises an entry with another address or another access key', () => {
    for (const [expected, baseUrl, key] of [
      [{ ...EXPECTED, baseUrl: 'http://127.0.0.1:1/v1' }, true, false],
      [{ ...EXPECTED, key: OTHER_KEY }, false, true],
      [{ ...EXPECTED, key: undefined }, false, true],
    ] as const) {
      assert.deepEqual(classifyConfig({ entry: ENTRY }, expected), { kind: 'outdated', baseUrl, key, model: 'm' });
    }
  });

  it('names another endpoint or model, without secrets', () => {
    const foreign = { baseUrl: 'https://me:secret@example.com/v1', key: THEIR_KEY, model: 'm' };
    assert.deepEqual(classifyConfig({ entry: foreign, selected: 'x' }, EXPECTED), {
      kind: 'other',
      what: 'https://••••••••@example.com/v1',
    });
    assert.deepEqual(classifyConfig({ selected: 'claude' }, EXPECTED), { kind: 'other', what: 'claude' });
  });

  it('recognises an empty configuration', () => {
    assert.deepEqual(classifyConfig({}, EXPECTED), { kind: 'absent' });
  });
});

describe('describeConfigState()', () => {
  it('says connected only if all prompts are sealed', () => {
    const state = { kind: 'current', model: 'm' } as const;
    const words = (kind: Judgement['kind']) => describeConfigState(state, { kind, sentence: '', routes: [] });
    assert.equal(words('sealed'), 'connected, model m');
    for (const kind of ['partly', 'elsewhere', 'unknown'] as const) assert.doesNotMatch(words(kind), /^connected/);
  });
});

describe('describeConfigState() without an address to compare', () => {
  it('is described alike in the list, the judgement and the diagnosis', () => {
    const state = { kind: 'current', model: 'm', uncompared: true } as const;
    const judgement = judge('Codex', state, []);
    assert.equal(judgement.kind, 'unknown');
    assert.equal(judgement.sentence, 'Configured, but not checked: no proxy runs for this window.');
    assert.equal(describeConfigState(state, judgement), 'configured, but not checked: no proxy runs for this window');
  });
});

describe('describeOutdated()', () => {
  it('names the outdated parts', () => {
    const old = { kind: 'outdated', model: undefined } as const;
    assert.equal(describeOutdated({ ...old, baseUrl: true, key: false }), 'an outdated address');
    assert.equal(describeOutdated({ ...old, baseUrl: false, key: true }), 'an outdated access key');
    assert.equal(describeOutdated({ ...old, baseUrl: true, key: true }), 'an outdated address and access key');
  });
});
