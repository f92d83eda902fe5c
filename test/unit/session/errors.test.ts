import assert from 'node:assert/strict';
import { SessionError, asSessionError } from '../../../src/session/errors.ts';

describe('asSessionError()', () => {
  it('returns a SessionError unchanged', () => {
    const error = new SessionError('timeout', 'too late');
    assert.equal(asSessionError(error), error);
  });

  for (const [foreign, message] of [
    [Object.assign(new Error('10.1.2.3 said secret'), { code: 'ECONNREFUSED' }), /failed: ECONNREFUSED$/],
    [new Error('secret'), /failed: connection failed$/],
    [Object.assign(new Error('secret'), { code: 7 }), /failed: connection failed$/],
    ['secret', /failed: connection failed$/],
    [undefined, /failed: connection failed$/],
    [null, /failed: connection failed$/],
  ] as const) {
    it(`makes a network error with the code but not the message of ${String(foreign)}`, () => {
      const error = asSessionError(foreign);
      assert.equal(error.name, 'SessionError');
      assert.equal(error.code, 'network');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      assert.equal(error.cause, foreign);
    });
  }
});
