import assert from 'node:assert/strict';
import { RequestLimits } from '../../../../src/proxy/relay/requestLimits.ts';

const MIB = 1024 * 1024;

describe('RequestLimits', () => {
  it('is full at 256 requests', () => {
    const limits = new RequestLimits();
    for (let count = 0; count < 256; count++) {
      assert.equal(limits.full, false);
      limits.requests++;
    }
    assert.equal(limits.full, true);
    limits.requests--;
    assert.equal(limits.full, false);
  });

  it('keeps 500 MiB of bodies and not a byte more; refused bytes are not counted', () => {
    const limits = new RequestLimits();
    for (let count = 0; count < 10; count++) assert.ok(limits.keep(50 * MIB));
    assert.equal(limits.keep(1), false);
    limits.release(10);
    assert.equal(limits.keep(11), false);
    assert.equal(limits.keep(10), true);
    assert.equal(limits.keep(1), false);
  });
});
