import assert from 'node:assert/strict';
import { OfferedModels } from '../../../src/dashboard/offeredModels.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { STATES, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const BACKEND = runningStatus().backendUrl;

const after = (...statuses: readonly ProxyStatus[]): readonly string[] => {
  const offered = new OfferedModels();
  for (const status of statuses) offered.update(status);
  return offered.ids;
};

describe('OfferedModels', () => {
  it('has the models of the backend, and keeps them in every state without a connection', () => {
    const isOfOther = (status: ProxyStatus) => status.kind === 'running' && status.backendUrl !== BACKEND;
    for (const [name, status] of Object.entries(STATES).filter(([, status]) => !isOfOther(status)))
      assert.deepEqual(after(runningStatus(), status), ['a', 'b'], name);
  });

  it('has those that the backend offers now', () => {
    const health = { kind: 'connected', models: ['c'], catalogue: null, checkedAt: 0 } as const;
    assert.deepEqual(after(runningStatus(), unreachableStatus('network'), runningStatus({ health })), ['c']);
  });

  it('has none before the first connection, and none of another backend', () => {
    assert.deepEqual(after(unreachableStatus('network')), []);
    const other = { ...unreachableStatus('network'), backendUrl: 'https://other.example' };
    assert.deepEqual(after(runningStatus(), other), []);
  });
});
