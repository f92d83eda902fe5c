import assert from 'node:assert/strict';
import { parseFaults } from '../../../../src/devEnclave/faults/faults.ts';

describe('parseFaults()', () => {
  it('counts handshakes and requests separately', () => {
    const plan = parseFaults('redirect:2, wrong-nonce:1 ,outer-503', false);
    assert.deepEqual([...plan.nextHandshake()], ['wrong-nonce']);
    assert.deepEqual([...plan.nextHandshake()], []);
    assert.deepEqual([...plan.nextRequest()], ['outer-503']);
    assert.deepEqual([...plan.nextRequest()], ['redirect', 'outer-503']);
  });

  it('rejects unknown faults', () => {
    for (const list of ['nothing', 'redirect:0', 'redirect:', 'redirect:x', 'Redirect', 'constructor', 'redirect;x']) {
      assert.throws(() => parseFaults(list, true), RangeError, list);
    }
  });

  it('rejects faults of the signature unless documents are signed', () => {
    assert.throws(() => parseFaults('debug-pcr0', false), /signs its documents/);
    assert.equal(parseFaults('debug-pcr0', true).nextHandshake().size, 1);
  });
});
