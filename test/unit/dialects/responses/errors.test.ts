import assert from 'node:assert/strict';
import { DialectError, invalidField } from '../../../../src/dialects/dialectError.ts';
import { errorBody, failureOf } from '../../../../src/dialects/responses/errors.ts';

describe('errorBody()', () => {
  it('has the fields of the format, and the type by the status', () => {
    assert.deepEqual(JSON.parse(errorBody(invalidField('input[1]', 'must be an object.'))), {
      error: {
        message: 'input[1]: must be an object.',
        type: 'invalid_request_error',
        param: 'input[1]',
        code: null,
      },
    });
    for (const [status, type, code] of [
      [401, 'invalid_request_error', 'invalid_api_key'],
      [404, 'invalid_request_error', null],
      [413, 'invalid_request_error', null],
      [429, 'rate_limit_error', 'rate_limit_exceeded'],
      [500, 'server_error', null],
      [503, 'server_error', null],
    ] as const) {
      const { error } = JSON.parse(errorBody(new DialectError('Why.', { status }))) as { error: object };
      assert.deepEqual(error, { message: 'Why.', type, param: null, code });
    }
  });

  it("keeps the backend's code", () => {
    const { error } = JSON.parse(errorBody(new DialectError('Why.', { status: 429, code: 'insufficient_quota' }))) as {
      error: { code: string };
    };
    assert.equal(error.code, 'insufficient_quota');
  });
});

describe('failureOf()', () => {
  it('has a code that clients know', () => {
    for (const [status, code, expected] of [
      [502, null, 'server_error'],
      [503, 'overloaded', 'server_error'],
      [502, 'backend_unreachable', 'backend_unreachable'],
      [504, 'timeout', 'timeout'],
      [429, null, 'rate_limit_exceeded'],
      [400, 'context_length_exceeded', 'context_length_exceeded'],
      [502, 'context_length_exceeded', 'context_length_exceeded'],
      [429, 'insufficient_quota', 'insufficient_quota'],
      [400, null, 'invalid_prompt'],
    ] as const) {
      assert.deepEqual(failureOf(new DialectError('Why.', { status, code })), { code: expected, message: 'Why.' });
    }
  });
});
