import assert from 'node:assert/strict';
import { AttestationError } from '../../../../src/attestation/errors.ts';
import { describeError, describeHandshakeFailure } from '../../../../src/proxy/backend/describeError.ts';
import { SessionError, asSessionError } from '../../../../src/session/errors.ts';

describe('describeError()', () => {
  const refused = (cause: unknown) => describeError(new SessionError('attestation_refused', 'Refused.', { cause }));

  it('gives the code and message of the error, and the code of an attestation error that caused it', () => {
    const { detail, ...rest } = refused(new AttestationError('nonce_mismatch', 'hidden'));
    assert.deepEqual(rest, { code: 'attestation_refused', message: 'Refused.' });
    assert.equal(detail, 'nonce_mismatch');
  });

  it('gives the detail "clock" if the document is genuine and the clock is known to be wrong', () => {
    for (const code of ['certificate_expired', 'certificate_not_yet_valid'] as const) {
      assert.equal(refused(new AttestationError(code, 'x', { clockSkewMs: -90_000 })).detail, 'clock');
      assert.equal(refused(new AttestationError(code, 'x')).detail, code);
    }
  });

  it('gives only the code of any other cause, never its message', () => {
    const described = describeError(asSessionError(Object.assign(new Error('hidden'), { code: 'ECONNRESET' })));
    assert.deepEqual([described.code, described.detail], ['network', 'ECONNRESET']);
    assert.doesNotMatch(JSON.stringify(described), /hidden/);
    for (const cause of [undefined, null, new Error('hidden'), 'hidden', { code: 7 }]) {
      assert.equal(refused(cause).detail, null);
    }
  });
});

describe('describeHandshakeFailure()', () => {
  const messageOf = (error: SessionError, basePath = '') => describeHandshakeFailure(error, basePath).message;

  it('says what to do about a failure of the network', () => {
    for (const [code, advice] of [
      [
        'ECONNREFUSED',
        /^The connection to the backend failed: ECONNREFUSED: check the URL of the backend, and whether/,
      ],
      ['ENOTFOUND', /ENOTFOUND: check the URL of the backend, the DNS of this computer, .*HTTPS_PROXY/],
      ['SELF_SIGNED_CERT_IN_CHAIN', /not trusted here; .* NODE_EXTRA_CA_CERTS$/],
      ['ECONNRESET', /^The connection to the backend failed: ECONNRESET$/],
      ['CERT_HAS_EXPIRED', /has expired, or the clock of this computer is wrong$/],
      ['ERR_TLS_CERT_ALTNAME_INVALID', /for another name; check the URL of the backend$/],
      ['UND_ERR_SOCKET', /does not speak HTTP; check the URL of the backend and its port$/],
      ['UND_ERR_SOCKS5_AUTH_FAILED', /refused the user name and the password in HTTPS_PROXY$/],
      ['UND_ERR_SOCKS5_VERSION', /is not a SOCKS5 proxy/],
    ] as const) {
      assert.match(messageOf(asSessionError(Object.assign(new Error('hidden'), { code }))), advice);
    }
  });

  it('says that the server is not an enclave, or that the path of the API is too much', () => {
    const error = new SessionError('handshake_status', 'It answered with 404');
    const check = 'the server is not a working enclave; check the URL of the backend';
    for (const path of ['', '/api']) assert.equal(messageOf(error, path), `It answered with 404: ${check}`);
    assert.match(messageOf(error, '/x/v1'), /the URL of the backend ends with \/x\/v1; .* remove it$/);
  });

  it('does not call a server without capacity something that is not an enclave', () => {
    const error = new SessionError('handshake_unavailable', 'It answered with 503');
    const wait = 'it cannot accept connections right now; if this continues, check the URL of the backend';
    assert.equal(messageOf(error, ''), `It answered with 503: ${wait}`);
    assert.match(messageOf(error, '/v1'), /must not have the path of the API/);
  });
});
