import assert from 'node:assert/strict';
import { passed, runCheck } from '../../../src/diagnostics/check.ts';

describe('runCheck()', () => {
  it('turns an error into a failed check', async () => {
    const failing = () => {
      throw new Error('It broke');
    };
    const { outcome, finding, remedy } = await runCheck(failing, 1000);
    assert.deepEqual([outcome, finding], ['failed', 'It broke']);
    assert.match(remedy, /Show Log/);
    assert.equal((await runCheck(() => Promise.reject(new Error('late')), 1000)).finding, 'late');
    assert.deepEqual(await runCheck(() => passed('yes'), 1000), passed('yes'));
  });

  it('aborts the signal after the time limit', async () => {
    let aborted = false;
    const hanging = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise<never>(() => undefined);
    };
    assert.equal((await runCheck(hanging, 20)).finding, 'No result within 0.02 s');
    assert.equal(aborted, true);
  });
});
