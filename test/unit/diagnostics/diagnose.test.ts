import assert from 'node:assert/strict';
import { diagnose } from '../../../src/diagnostics/diagnose.ts';
import { makeContext, resultNamed } from '../../support/diagnostics.ts';

describe('diagnose()', () => {
  it('refreshes the status first, and runs all checks even if that fails', async () => {
    const calls: string[] = [];
    const refresh = () => {
      calls.push('refresh');
      return Promise.reject(new Error('No connection'));
    };
    const status = () => {
      calls.push('status');
      return { kind: 'off' } as const;
    };
    const keys = () => Promise.reject(new Error('The storage is locked'));
    const { settings } = makeContext();
    const noPort = () => ({ ...settings(), port: 0 });
    const results = await diagnose(makeContext({ refresh, status, keys, settings: noPort }));
    assert.deepEqual(calls.slice(0, 2), ['refresh', 'status']);
    for (const name of ['Access keys', 'API key']) {
      const { outcome, finding } = resultNamed(results, name);
      assert.deepEqual([outcome, finding], ['failed', 'The storage is locked']);
    }
    assert.equal(results.at(-1)?.name, 'Assistants');
  });
});
