import assert from 'node:assert/strict';
import { errorOfExchange, reasonOf } from '../../../../src/proxy/http/backendErrors.ts';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import type { SessionErrorCode } from '../../../../src/session/errors.ts';

describe('errorOfExchange()', () => {
  const codes: Readonly<Record<Exclude<SessionErrorCode, 'image_unconfirmed' | 'image_refused'>, string>> = {
    network: 'backend_unreachable',
    timeout: 'timeout',
    cancelled: 'response_invalid',
    handshake_status: 'not_an_enclave',
    handshake_unavailable: 'backend_unreachable',
    handshake_malformed: 'not_an_enclave',
    attestation_refused: 'attestation_failed',
    history_unavailable: 'image_not_approved',
    weak_public_key: 'attestation_failed',
    session_id_mismatch: 'attestation_failed',
    session_rejected: 'response_invalid',
    response_status: 'response_invalid',
    response_content_type: 'response_invalid',
    record_length: 'response_invalid',
    record_authentication: 'response_invalid',
    record_malformed: 'response_invalid',
    record_order: 'response_invalid',
    truncated: 'response_invalid',
    enclave_error: 'response_invalid',
    request_too_large: 'headers_too_large',
  };
  for (const [code, expected] of Object.entries(codes)) {
    it(`names ${code} as ${expected}`, () => {
      const { status, type, code: named } = errorOfExchange({ code, detail: null }, true);
      assert.equal(named, expected);
      const statuses: Readonly<Record<string, number>> = { timeout: 504, headers_too_large: 431 };
      assert.equal(status, statuses[expected] ?? 502);
      assert.equal(type, status === 431 ? 'invalid_request_error' : 'server_error');
    });
  }

  for (const [detail, expected, sentence] of [
    ['pcr0_not_approved', 'image_not_approved', 'Its enclave runs an image that is not approved.'],
    ['certificate_expired', 'attestation_failed', 'A certificate of its enclave has expired.'],
    ['certificate_not_yet_valid', 'attestation_failed', 'A certificate of its enclave is not valid yet.'],
    ['clock', 'attestation_failed', 'Its enclave cannot be verified, because the clock of this computer is wrong.'],
    [
      'history_invalid',
      'image_not_approved',
      'The list of approved images is not valid, so the image of its enclave could not be checked.',
    ],
    ['malformed_document', 'not_an_enclave', 'The server at its address is not a working enclave.'],
    ['signature', 'attestation_failed', 'Its enclave could not be verified.'],
  ] as const) {
    it(`says in words that the attestation failed with ${detail}`, () => {
      const { code, message } = errorOfExchange({ code: 'attestation_refused', detail }, true);
      assert.equal(code, expected);
      assert.equal(
        message,
        `Failed to communicate securely with the backend. ${sentence} Your prompt was not sent. In VS Code, run ` +
          `"Sealed Proxy: Run Diagnostics"; elsewhere, tell the operator of the proxy. (${detail})`,
      );
    });
  }

  it('says that the prompt was not sent only if that is certain', () => {
    for (const code of ['network', 'timeout', 'truncated']) {
      assert.match(errorOfExchange({ code, detail: null }, true).message, /\. Your prompt was not sent\. /);
      const { message } = errorOfExchange({ code, detail: null }, false);
      assert.match(message, /\. The enclave may have received your prompt\. /);
      assert.doesNotMatch(message, /not sent/);
    }
  });

  it('tells a broken connection from one that never was', () => {
    const failure = { code: 'network', detail: 'ECONNRESET' };
    assert.match(errorOfExchange(failure, true).message, /It cannot be reached\. .* \(ECONNRESET\)$/);
    assert.match(errorOfExchange(failure, false).message, /The connection to it broke\. .* \(ECONNRESET\)$/);
  });

  it('repeats nothing that is not a code: it might be an address', () => {
    const { message } = errorOfExchange({ code: 'network', detail: 'connect ECONNREFUSED 10.0.0.1:443' }, true);
    assert.match(message, /; elsewhere, tell the operator of the proxy\.$/);
  });

  it('says what the user can do about an enclave image that was not accepted', () => {
    for (const code of ['image_unconfirmed', 'image_refused'] as const) {
      const error = errorOfExchange({ code, detail: null }, true);
      assert.deepEqual([error.status, error.code], [502, code]);
      assert.match(error.message, /the request was not sent.* "Sealed Proxy: Review New Enclave Image"/);
      const { message } = errorOfExchange({ code, detail: null }, false);
      assert.match(message, /nothing was sent to it; another enclave may have received your prompt\. .* "Sealed Proxy/);
      assert.doesNotMatch(message, /not sent/);
    }
  });

  it('is that of the headers for a request that is too large for the envelope', () => {
    assert.equal(errorOfExchange({ code: 'request_too_large', detail: null }, true), PROXY_ERRORS.tooManyHeaders);
  });
});

describe('reasonOf()', () => {
  it('has the code that requests get, and a sentence about the backend alone', () => {
    for (const code of ['network', 'timeout', 'image_unconfirmed', 'image_refused', 'history_unavailable']) {
      const { code: named, message } = reasonOf({ code, detail: null });
      assert.equal(named, errorOfExchange({ code, detail: null }, true).code);
      assert.match(message, /^Failed to communicate securely with the backend\. [A-Z][^.]+\.$/);
      assert.doesNotMatch(message, /prompt|VS Code/);
    }
    const { message } = reasonOf({ code: 'network', detail: 'ECONNREFUSED' });
    assert.match(message, / It cannot be reached\. \(ECONNREFUSED\)$/);
  });
});
