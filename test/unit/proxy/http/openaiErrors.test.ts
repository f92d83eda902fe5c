import assert from 'node:assert/strict';
import { PROXY_ERRORS, errorBody, errorOfExchange, methodNotAllowed } from '../../../../src/proxy/http/openaiErrors.ts';
import type { SessionErrorCode } from '../../../../src/session/errors.ts';

describe('errorBody()', () => {
  it('has the form that OpenAI clients know', () => {
    assert.equal(
      errorBody(PROXY_ERRORS.backend),
      '{"error":{"message":"Failed to communicate securely with the backend.","type":"server_error","param":null,"code":null}}',
    );
    assert.deepEqual(JSON.parse(errorBody(PROXY_ERRORS.badKey)), {
      error: {
        message: PROXY_ERRORS.badKey.message,
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    });
  });
});

describe('PROXY_ERRORS', () => {
  it('have the statuses of the specification', () => {
    const statuses = Object.fromEntries(Object.entries(PROXY_ERRORS).map(([name, { status }]) => [name, status]));
    assert.deepEqual(statuses, {
      badRequest: 400,
      badTarget: 400,
      badHost: 400,
      keyInQuery: 400,
      noKey: 401,
      badKey: 401,
      unknownAccessKey: 401,
      noApiKey: 401,
      foreignHost: 403,
      foreignOrigin: 403,
      headTooLarge: 431,
      httpVersion: 505,
      imageUnconfirmed: 502,
      imageRefused: 502,
      noSuchPath: 404,
      noSuchModelRoute: 404,
      uploadTimeout: 408,
      bodyTooLarge: 413,
      busy: 503,
      busyKey: 503,
      targetTooLong: 414,
      expectation: 417,
      tooManyHeaders: 431,
      backend: 502,
      timeout: 504,
    });
  });

  it('have the type server_error from status 500 on, and invalid_request_error below', () => {
    for (const [name, { status, type }] of Object.entries(PROXY_ERRORS)) {
      assert.equal(type, status >= 500 ? 'server_error' : 'invalid_request_error', name);
    }
  });

  it('explain the error in sentences', () => {
    for (const { message } of [...Object.values(PROXY_ERRORS), methodNotAllowed('GET')]) {
      assert.match(message, /^[A-Z].*\.$/);
    }
    assert.match(PROXY_ERRORS.bodyTooLarge.message, /larger than 50 MiB/);
  });

  it('ask for a bearer token with every 401', () => {
    for (const error of Object.values(PROXY_ERRORS).filter(({ status }) => status === 401)) {
      assert.deepEqual('headers' in error && error.headers, ['www-authenticate', 'Bearer realm="sealed-proxy"']);
    }
  });
});

describe('methodNotAllowed()', () => {
  it('names the methods that the path supports', () => {
    const { status, code, message, headers } = methodNotAllowed('GET, HEAD');
    assert.deepEqual([status, code, headers], [405, 'method_not_allowed', ['allow', 'GET, HEAD, OPTIONS']]);
    assert.match(message, /supports GET, HEAD\./);
  });
});

describe('errorOfExchange()', () => {
  const causes = {
    network: 502,
    timeout: 504,
    cancelled: 502,
    handshake_status: 502,
    handshake_malformed: 502,
    attestation_refused: 502,
    history_unavailable: 502,
    weak_public_key: 502,
    session_id_mismatch: 502,
    session_rejected: 502,
    response_status: 502,
    response_content_type: 502,
    record_length: 502,
    record_authentication: 502,
    record_malformed: 502,
    record_order: 502,
    truncated: 502,
    enclave_error: 502,
    request_too_large: 431,
  } satisfies Record<Exclude<SessionErrorCode, 'image_unconfirmed' | 'image_refused'>, number>;
  for (const [cause, status] of Object.entries(causes) as [SessionErrorCode, number][]) {
    it(`has status ${status} for ${cause}, and does not reveal the cause`, () => {
      const error = errorOfExchange(cause);
      assert.equal(error.status, status);
      assert.equal(error.code, status === 431 ? 'headers_too_large' : null);
      if (status === 502) assert.equal(error, PROXY_ERRORS.backend);
    });
  }

  it('says what the user can do about an enclave image that was not accepted', () => {
    for (const code of ['image_unconfirmed', 'image_refused'] as const) {
      const error = errorOfExchange(code);
      assert.deepEqual([error.status, error.code], [502, code]);
      assert.match(error.message, /the request was not sent.* "Sealed Proxy: Review New Enclave Image"/);
    }
  });
});
