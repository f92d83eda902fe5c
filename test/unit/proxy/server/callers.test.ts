import assert from 'node:assert/strict';
import { Callers } from '../../../../src/proxy/server/callers.ts';

const own = (value: string) => ({ value, accessKeyId: null });
const ACCESS = { value: 'sk-of-the-proxy', accessKeyId: '0123456789abcdef' };

describe('Callers', () => {
  it('makes each access key a caller of its own', () => {
    assert.deepEqual(new Callers().pathOf(ACCESS, true), ['0123456789abcdef']);
  });

  it('makes all other keys one caller, and a group if there are access keys', () => {
    const callers = new Callers();
    for (const key of ['sk-1', 'sk-2', 'x']) {
      assert.deepEqual(callers.pathOf(own(key), true), ['direct', 'unknown']);
      assert.deepEqual(callers.pathOf(own(key), false), ['unknown']);
    }
  });

  it('makes an API key that the backend has accepted a caller of its own, and keeps it in the group', () => {
    const callers = new Callers();
    callers.accept(own('sk-1'));
    const [caller = ''] = callers.pathOf(own('sk-1'), false);
    assert.match(caller, /^[\w-]{43}$/); // a digest, so that no key is kept
    assert.deepEqual(callers.pathOf(own('sk-1'), true), ['direct', caller]);
    assert.deepEqual(callers.pathOf(own('sk-2'), false), ['unknown']);
  });

  it('does not take the API key of the proxy for the one of a client because access keys were accepted', () => {
    const callers = new Callers();
    callers.accept(ACCESS);
    assert.deepEqual(callers.pathOf(own(ACCESS.value), true), ['direct', 'unknown']);
  });

  it('remembers the 64 API keys that were accepted last', () => {
    const callers = new Callers();
    for (let count = 0; count < 64; count++) callers.accept(own(`sk-${count}`));
    callers.accept(own('sk-0'));
    callers.accept(own('sk-new'));
    const isKnown = (key: string) => callers.pathOf(own(key), false)[0] !== 'unknown';
    assert.deepEqual(['sk-0', 'sk-1', 'sk-2', 'sk-new'].map(isKnown), [true, false, true, true]);
  });
});
