import assert from 'node:assert/strict';
import { planOf } from '../../../../src/assistants/files/preview.ts';
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
