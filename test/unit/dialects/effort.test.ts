import assert from 'node:assert/strict';
import { EFFORTS, effortAt } from '../../../src/dialects/effort.ts';

describe('effortAt()', () => {
  it('accepts each effort that clients know, and no other value', () => {
    for (const effort of ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']) {
      assert.ok(['low', 'medium', 'high'].includes(EFFORTS[effortAt('effort', effort)]));
    }
    for (const effort of ['much', 'constructor', 5, {}]) {
      assert.throws(() => effortAt('effort', effort), { param: 'effort', message: /^effort: must be one of "none", / });
    }
  });
});
