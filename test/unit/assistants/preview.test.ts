import assert from 'node:assert/strict';
import { describeChange, planOf } from '../../../src/assistants/preview.ts';
import { KEY, THEIR_KEY } from '../../support/assistantFiles.ts';

describe('planOf()', () => {
  it('previews a change without keys', () => {
    const plan = planOf({ path: '/f', before: `{"apiKey": "${THEIR_KEY}"}`, after: `{"x": "${KEY}"}` }, [KEY], KEY);
    assert.ok(plan.kind === 'change');
    const { before, after, changes, exists } = plan.preview;
    assert.deepEqual([before, after, changes], ['{"apiKey": "••••••••"}', '{"x": "••••••••"}', ['••••••••']]);
    assert.equal(exists, true);
  });

  it('recognises that nothing changes', () => {
    assert.deepEqual(planOf({ path: '/f', before: '{}', after: '{}' }, [], KEY), { kind: 'unchanged' });
    const created = planOf({ path: '/f', before: undefined, after: '' }, [], KEY);
    assert.ok(created.kind === 'change' && !created.preview.exists);
  });
});

describe('describeChange()', () => {
  it('names the value and what happens to it, without secrets', () => {
    assert.equal(describeChange('model', undefined, 'm'), 'sets model to "m"');
    assert.equal(describeChange('provider.ours', undefined, { a: 1 }), 'adds provider.ours');
    assert.equal(describeChange('model', 'a', 'b'), 'changes model from "a" to "b"');
    assert.equal(describeChange('options.apiKey', 'abc', 'def'), 'changes options.apiKey from •••••••• to ••••••••');
    assert.equal(describeChange('env.OUR_KEY', undefined, 'abc'), 'sets env.OUR_KEY to ••••••••');
    assert.equal(describeChange('model', 'a', undefined), 'removes model');
  });
});
