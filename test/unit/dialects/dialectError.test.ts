import assert from 'node:assert/strict';
import { DialectError, invalidField, readError } from '../../../src/dialects/dialectError.ts';

describe('DialectError', () => {
  it('has no field and no code unless they are given', () => {
    const { message, status, param, code } = new DialectError('Try again.', { status: 502 });
    assert.deepEqual({ message, status, param, code }, { message: 'Try again.', status: 502, param: null, code: null });
  });
});

describe('invalidField()', () => {
  it('names the field', () => {
    const { message, status, param } = invalidField('tools[1].name', 'must be a string.');
    assert.deepEqual(
      { message, status, param },
      {
        message: 'tools[1].name: must be a string.',
        status: 400,
        param: 'tools[1].name',
      },
    );
  });
});

describe('readError()', () => {
  const read = (status: number, body: unknown) => {
    const { message, param, code, ...rest } = readError(status, typeof body === 'string' ? body : JSON.stringify(body));
    assert.equal(rest.status, status);
    return { message, param, code };
  };

  it("reads OpenAI's format", () => {
    const error = {
      message: ' Too long. ',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    };
    assert.deepEqual(read(400, { error }), {
      message: 'Too long.',
      param: 'messages',
      code: 'context_length_exceeded',
    });
  });

  it("reads the backend's own format", () => {
    assert.deepEqual(read(429, { status: 429, message: 'Busy.' }), { message: 'Busy.', param: null, code: null });
  });

  it('reports the status for anything else', () => {
    for (const body of [
      '',
      '<html>',
      'null',
      '[]',
      {},
      { error: 'No' },
      { error: { message: 5, code: 7, param: [] } },
    ]) {
      const message = 'The backend responded with status 503.';
      assert.deepEqual(read(503, body), { message, param: null, code: null });
    }
  });

  it('shortens a message that is very long', () => {
    assert.equal(read(500, { error: { message: 'a'.repeat(1_000_000) } }).message.length, 2000);
  });
});
