import assert from 'node:assert/strict';
import { facts, kill, restartedBy, run, set, startEnclave, state } from './surroundings.ts';

describe('The backend', () => {
  after(async () => {
    await restartedBy(() => set('backendUrl', facts().backendUrl));
  });

  it('is unreachable while it is down, and connected again by itself afterwards', async () => {
    const { child, url, port } = await startEnclave();
    await restartedBy(() => set('backendUrl', url));
    await kill(child);
    run('checkConnection');
    await state('unreachable');
    const again = await startEnclave(port);
    const { models } = await state('connected');
    assert.ok(models !== null && models.length > 0);
    await kill(again.child);
  });
});
