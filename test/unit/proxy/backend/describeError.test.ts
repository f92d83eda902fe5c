import assert from 'node:assert/strict';
import { AttestationError } from '../../../../src/attestation/errors.ts';
import { describeError } from '../../../../src/proxy/backend/describeError.ts';
import { SessionError } from '../../../../src/session/errors.ts';

describe('What is said of a failed handshake', () => {
  const refused = (cause: unknown) => describeError(new SessionError('attestation_refused', 'It was.', { cause }));

  it('is our code and sentence, and the code of the attestation', () => {
    const { detail, ...rest } = refused(new AttestationError('nonce_mismatch', 'hidden'));
    assert.deepEqual(rest, { code: 'attestation_refused', message: 'It was.' });
    assert.equal(detail, 'nonce_mismatch');
  });

  it('names the clock where the document is genuine and the clock is known to be wrong', () => {
    for (const code of ['certificate_expired', 'certificate_not_yet_valid'] as const) {
      assert.equal(refused(new AttestationError(code, 'x', { clockSkewMs: -90_000 })).detail, 'clock');
      assert.equal(refused(new AttestationError(code, 'x')).detail, code);
    }
  });

  it('is of a foreign cause its code alone', () => {
    assert.equal(refused(Object.assign(new Error('hidden'), { code: 'ECONNRESET' })).detail, 'ECONNRESET');
    for (const cause of [undefined, null, new Error('hidden'), { code: 7 }]) assert.equal(refused(cause).detail, null);
  });
});
