import assert from 'node:assert/strict';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { asDialectError, errorFormat, toDialectError } from '../../../../src/proxy/dialects/dialectErrors.ts';
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
    const format = errorFormat({ errorBody: ({ status, message }) => `${status} ${message}` });
    assert.equal(format(PROXY_ERRORS.timeout), `504 ${PROXY_ERRORS.timeout.message}`);
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
