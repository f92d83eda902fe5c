import assert from 'node:assert/strict';
import { Queue } from '../../../src/shared/queue.ts';

describe('Queue', () => {
  it('begins an action when the earlier ones are over, also when one has failed', async () => {
    const queue = new Queue();
    const done: string[] = [];
    const first = Promise.withResolvers<undefined>();
    const running = [
      queue.run(async () => {
        await first.promise;
        done.push('first');
      }),
      queue.run(() => Promise.reject(new Error('broken'))),
      queue.run(() => Promise.resolve(done.push('third'))),
    ];
    assert.deepEqual(done, []);
    first.resolve(undefined);
    const results = await Promise.allSettled(running);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(done, ['first', 'third']);
  });

  it('is settled when all actions until now are over', async () => {
    const queue = new Queue();
    let isDone = false;
    void queue.run(async () => {
      await Promise.resolve();
      isDone = true;
    });
    await queue.settled();
    assert.equal(isDone, true);
  });
});
