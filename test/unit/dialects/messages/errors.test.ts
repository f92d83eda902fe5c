import assert from 'node:assert/strict';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { errorResponse } from '../../../../src/dialects/messages/errors.ts';

describe('errorResponse()', () => {
  for (const [status, type] of [
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
    [599, 'api_error'],
  ] as const) {
    it(`is ${type} for status ${status}`, () => {
      const expected = { type: 'error', error: { type, message: 'Try again.' }, request_id: 'req_1' };
      assert.deepEqual(errorResponse(new DialectError('Try again.', { status }), 'req_1'), expected);
    });
  }

  it('tells the libraries of Anthropic to go on without a thread, as they ask for it by default', () => {
    const { error } = errorResponse(
      new DialectError('No threads.', { status: 400, code: 'thread_unsupported_request' }),
      '',
    );
    assert.deepEqual(error, {
      type: 'invalid_request_error',
      message: 'No threads.',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    });
  });

  it('has a code only if the backend did not answer', () => {
    const detailsFor = (code: string) =>
      errorResponse(new DialectError('Why.', { status: 502, code }), '').error.details;
    assert.deepEqual(detailsFor('not_an_enclave'), { code: 'not_an_enclave' });
    assert.equal(detailsFor('overloaded'), undefined);
  });

  it('begins as Claude Code expects it if the conversation is too long', () => {
    const { error } = errorResponse(
      new DialectError('Too much.', { status: 400, code: 'context_length_exceeded' }),
      '',
    );
    assert.deepEqual(error, { type: 'invalid_request_error', message: 'prompt is too long: Too much.' });
  });
});
