import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Phase } from '../../../src/supervisor/phase.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('Phase', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  it('stops the work once the state was left', () => {
    const phase = new Phase();
    phase.check();
    phase.end();
    assert.throws(() => {
      phase.check();
    }, /has been left/);
  });

  it('keeps a single timer', () => {
    const phase = new Phase();
    const calls: string[] = [];
    phase.after(10, () => calls.push('first'));
    phase.after(20, () => calls.push('second'));
    mock.timers.tick(30);
    assert.deepEqual(calls, ['second']);
  });

  it('calls nothing after its end', () => {
    const phase = new Phase();
    phase.after(10, () => assert.fail('called'));
    phase.end();
    phase.after(10, () => assert.fail('called'));
    mock.timers.tick(30);
    assert.equal(phase.isOver, true);
  });

  it('resolves `left` at its end', async () => {
    const phase = new Phase();
    assert.equal(await Promise.race([phase.left, Promise.resolve('current')]), 'current');
    phase.end();
    mock.timers.reset();
    await withTimeout('the end of the phase', DEADLINE, phase.left);
  });
});
