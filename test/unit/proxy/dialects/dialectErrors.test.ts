import assert from 'node:assert/strict';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { asDialectError, errorFormat, errorOf, toDialectError } from '../../../../src/proxy/dialects/dialectErrors.ts';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';

describe('toDialectError()', () => {
  it('keeps the status, the message and the code', () => {
    const { status, message, code } = toDialectError(PROXY_ERRORS.unknownAccessKey);
    assert.deepEqual([status, code], [401, 'invalid_api_key']);
    assert.equal(message, PROXY_ERRORS.unknownAccessKey.message);
  });
});

describe('errorFormat()', () => {
  it('lets the dialect write the body', () => {
    const format = errorFormat({ errorBody: ({ status, message }, id) => `${id}: ${status} ${message}` }, 'req_1');
    assert.equal(format(PROXY_ERRORS.timeout), `req_1: 504 ${PROXY_ERRORS.timeout.message}`);
  });
});

describe('asDialectError()', () => {
  it('keeps an error of a dialect, and hides the message of any other one', () => {
    const error = new DialectError('A field is wrong', { status: 400 });
    assert.equal(asDialectError(error), error);
    for (const other of [new TypeError('secret'), undefined, 'secret']) {
      const { status, message } = asDialectError(other);
      assert.equal(status, 500);
      assert.doesNotMatch(message, /secret/);
    }
  });
});

describe('errorOf()', () => {
  const contract = ['x-opensecret-error-contract', '1'];
  const code = ['X-OpenSecret-Error-Code', 'upstream_context_limit'];
  const text = '{"status":422,"message":"Too much."}';

  it("reads the backend's code from the headers", () => {
    const error = errorOf({ status: 422, headers: [...contract, ...code], text });
    assert.deepEqual([error.status, error.code, error.message], [400, 'context_length_exceeded', 'Too much.']);
    assert.equal(errorOf({ status: 422, headers: code, text }).code, null);
    assert.equal(errorOf({ status: 422, headers: [...contract, ...code, ...code], text }).code, null);
  });

  it('has a status of errors', () => {
    assert.equal(errorOf({ status: 204, headers: [], text: '' }).status, 502);
    assert.equal(errorOf({ status: 429, headers: [], text: '' }).status, 429);
  });
});
