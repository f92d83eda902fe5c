import assert from 'node:assert/strict';
import { parseFromDashboard } from '../../../src/dashboard/messages.ts';
import type { FromDashboard } from '../../../src/dashboard/messages.ts';

describe('parseFromDashboard()', () => {
  it('accepts every message of the web view', () => {
    const messages: readonly FromDashboard[] = [
      { type: 'ready' },
      { type: 'command', name: 'restart' },
      { type: 'setting', name: 'sealedProxy.port' },
      { type: 'saveEvidence' },
      { type: 'usageView', range: 'quarter', by: 'model' },
      { type: 'eraseUsage' },
      { type: 'revokeKey', id: 'f'.repeat(16) },
      { type: 'assistant', action: 'undo', id: 'cline' },
      { type: 'remedy', id: 'assistant:cline' },
      { type: 'sealing', action: 'seal' },
      { type: 'sidePromptSettings', title: 'Inline chat' },
    ];
    for (const message of messages) assert.deepEqual(parseFromDashboard({ ...message }), message);
  });

  it('refuses everything else, and drops fields that it does not know', () => {
    for (const value of [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 'unknown' },
      { type: 'command' },
      { type: 'command', name: ['restart'] },
      { type: 'setting', name: ['sealedProxy.port'] },
      { type: 'usageView', range: 'year', by: 'client' },
      { type: 'usageView', range: 'day', by: 'key' },
      { type: 'revokeKey', id: 1 },
      { type: 'assistant', action: 'connect', id: 'cline' },
      { type: 'assistant', action: 'undo' },
      { type: 'remedy', id: {} },
      { type: 'sealing', action: 'check' },
      { type: 'sidePromptSettings' },
    ]) {
      assert.equal(parseFromDashboard(value), undefined);
    }
    assert.deepEqual(parseFromDashboard({ type: 'ready', command: 'workbench.action.quit' }), { type: 'ready' });
  });
});
