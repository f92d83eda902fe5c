import assert from 'node:assert/strict';
import { untilAborted } from '../../../../src/proxy/dialects/untilAborted.ts';

describe('untilAborted()', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    assert.equal(await untilAborted(Promise.resolve(1), signal), 1);
    await assert.rejects(untilAborted(Promise.reject(new RangeError('No')), signal), RangeError);
  });

  it('rejects when the signal is aborted, also if it was before', async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<number>();
    const result = untilAborted(work.promise, controller.signal);
    controller.abort();
    await assert.rejects(result, { name: 'AbortError' });
    await assert.rejects(untilAborted(work.promise, controller.signal), { name: 'AbortError' });
    work.resolve(1);
  });
});
