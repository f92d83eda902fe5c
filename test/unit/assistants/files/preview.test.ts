import assert from 'node:assert/strict';
import { describeChanges, planOf } from '../../../../src/assistants/files/preview.ts';
import { KEY, THEIR_KEY } from '../../../support/assistantFiles.ts';

describe('planOf()', () => {
  it('previews a change without keys', () => {
    const plan = planOf({ path: '/f', before: `{"apiKey": "${THEIR_KEY}"}`, after: `{"x": "${KEY}"}` }, [KEY], KEY);
    assert.ok(plan.kind === 'change');
    const { before, after, changes, exists } = plan.preview;
    assert.deepEqual([before, after, changes], ['{"apiKey": "••••••••"}', '{"x": "••••••••kkkk"}', ['••••••••kkkk']]);
    assert.equal(exists, true);
  });

  it('recognises that nothing changes', () => {
    assert.deepEqual(planOf({ path: '/f', before: '{}', after: '{}' }, [], KEY), { kind: 'unchanged' });
    const created = planOf({ path: '/f', before: undefined, after: '' }, [], KEY);
    assert.ok(created.kind === 'change' && !created.preview.exists);
  });
});

describe('describeChanges()', () => {
  const describe = (before: string, after: string, changes: readonly string[], mode?: number) => {
    const plan = planOf({ path: '/f', before, after, mode }, changes, KEY);
    assert.ok(plan.kind === 'change');
    return describeChanges(plan.preview);
  };

  it('counts what the two texts show', () => {
    assert.equal(describe('{}', '{"a":1}', ['sets a']), 'The tab shows the change.');
    assert.equal(describe('{}', '{"a":1,"b":2}', ['sets a', 'sets b']), 'The tab shows all 2 changes.');
  });

  it('says what becomes of the permissions, which the texts do not show', () => {
    const made = 'Makes the file private, because it holds an access key (mode 644 becomes 600).';
    assert.equal(describe('{}', '{"a":1}', ['sets a'], 0o644), `The tab shows the change. ${made}`);
    assert.equal(describe('{}', '{}', [], 0o644), made);
  });
});
