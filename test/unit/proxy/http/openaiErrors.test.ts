import assert from 'node:assert/strict';
import { PROXY_ERRORS, bodyLimits, errorBody, methodNotAllowed } from '../../../../src/proxy/http/openaiErrors.ts';

describe('errorBody()', () => {
  it('has the form that OpenAI clients know', () => {
    assert.equal(
      errorBody(PROXY_ERRORS.httpVersion),
      '{"error":{"message":"This route requires HTTP/1.1: older versions cannot show that a response is incomplete.","type":"server_error","param":null,"code":null}}',
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
      keyNotAllowed: 401,
      noKey: 401,
      badKey: 401,
      unknownAccessKey: 401,
      noApiKey: 401,
      foreignHost: 403,
      foreignOrigin: 403,
      unreadableModel: 403,
      headTooLarge: 431,
      httpVersion: 505,
      imageUnconfirmed: 502,
      imageRefused: 502,
      noSuchPath: 404,
      noSuchModelRoute: 404,
      uploadTimeout: 408,
      busy: 503,
      busyKey: 503,
      targetTooLong: 414,
      expectation: 417,
      tooManyHeaders: 431,
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
  });

  it('ask for a bearer token with every 401', () => {
    for (const error of Object.values(PROXY_ERRORS).filter(({ status }) => status === 401)) {
      assert.deepEqual('headers' in error && error.headers, ['www-authenticate', 'Bearer realm="sealed-proxy"']);
    }
  });
});

describe('bodyLimits()', () => {
  const MIB = 1024 * 1024;
  const limits = { bodies: 0, translations: 0, largestBody: 50 * MIB, largestTranslatedBody: 32 * MIB };

  it('say what is too large, and for a dialect what to send instead', () => {
    const { relayed, translated } = bodyLimits(limits);
    assert.deepEqual([relayed.max, relayed.error.status], [50 * MIB, 413]);
    assert.equal(relayed.error.message, 'The request body is larger than 50 MiB.');
    assert.equal(translated.max, 32 * MIB);
    assert.match(translated.error.message, /^The request body is larger than 32 MiB\. Send fewer or smaller images/);
  });

  it('name the memory if it is the reason', () => {
    const { relayed } = bodyLimits({ ...limits, constrainedTo: 256.5 * MIB });
    assert.match(relayed.error.message, /The proxy may use only 256 MiB of memory: give it more/);
  });
});

describe('methodNotAllowed()', () => {
  it('names the methods that the path supports', () => {
    const { status, code, message, headers } = methodNotAllowed('GET, HEAD');
    assert.deepEqual([status, code, headers], [405, 'method_not_allowed', ['allow', 'GET, HEAD, OPTIONS']]);
    assert.match(message, /supports GET, HEAD\./);
  });
});
