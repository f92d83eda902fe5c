import assert from 'node:assert/strict';
import type { SessionErrorCode } from '../../../src/session/errors.ts';
import { CHECKS, CHECK_IDS } from '../../../src/shared/checks.ts';
import { baseUrlOf, causeOf } from '../../../src/shared/status.ts';
import type { Cause, ProxyStatus } from '../../../src/shared/status.ts';

/** The cause for each session error; errors that only an exchange can have are `protocol`. */
const CAUSES: Readonly<Record<SessionErrorCode, Cause>> = {
  network: 'network',
  timeout: 'network',
  cancelled: 'protocol',
  handshake_status: 'protocol',
  handshake_unavailable: 'backend',
  handshake_malformed: 'protocol',
  attestation_refused: 'attestation',
  history_unavailable: 'pcr0',
  image_unconfirmed: 'newImage',
  image_refused: 'newImage',
  weak_public_key: 'attestation',
  session_id_mismatch: 'attestation',
  session_rejected: 'protocol',
  response_status: 'protocol',
  response_content_type: 'protocol',
  record_length: 'protocol',
  record_authentication: 'protocol',
  record_malformed: 'protocol',
  record_order: 'protocol',
  truncated: 'protocol',
  enclave_error: 'backend',
  request_too_large: 'protocol',
};

describe('causeOf()', () => {
  for (const [code, cause] of Object.entries(CAUSES)) {
    it(`is ${cause} for ${code}`, () => {
      assert.equal(causeOf({ code, detail: null }), cause);
    });
  }

  for (const detail of CHECK_IDS.flatMap((id) => CHECKS[id].errors)) {
    const cause = detail === 'pcr0_not_approved' ? 'pcr0' : 'attestation';
    it(`is ${cause} for the attestation error ${detail}`, () => {
      assert.equal(causeOf({ code: 'attestation_refused', detail }), cause);
    });
  }

  it('is clock if the detail says so', () => {
    assert.equal(causeOf({ code: 'attestation_refused', detail: 'clock' }), 'clock');
  });

  it('is network for any error code of the operating system', () => {
    for (const detail of ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'UND_ERR_SOCKET']) {
      assert.equal(causeOf({ code: 'network', detail }), 'network');
    }
  });

  it('is protocol for an unknown code', () => {
    assert.equal(causeOf({ code: 'something_new', detail: null }), 'protocol');
  });
});

describe('baseUrlOf()', () => {
  it('ends in /v1, and is defined only while the proxy runs', () => {
    const running: ProxyStatus = {
      kind: 'running',
      url: 'http://127.0.0.1:7',
      port: 7,
      version: '1',
      shared: false,
      backendUrl: 'b',
      verified: null,
      establishedAt: null,
      health: { kind: 'noKey' },
    };
    assert.equal(baseUrlOf(running), 'http://127.0.0.1:7/v1');
    for (const status of [
      { kind: 'off' },
      { kind: 'starting' },
      { kind: 'portTaken', by: 'program', port: 7 },
      { kind: 'restarting', at: 7 },
    ] satisfies ProxyStatus[]) {
      assert.equal(baseUrlOf(status), undefined);
    }
  });
});
