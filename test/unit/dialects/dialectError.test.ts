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

  it('recognizes a conversation that is too long, by either code or by the message', () => {
    const long = "This model's maximum context length is 1000 tokens.";
    for (const [status, code, headerCode, message] of [
      [400, 'context_length_exceeded', null, 'Too much.'],
      [422, 'upstream_context_limit', null, 'Too much.'],
      [422, null, 'upstream_context_limit', 'Too much.'],
      [400, 'invalid', 'upstream_context_limit', 'Too much.'],
      [502, 'context_length_exceeded', null, 'Too much.'],
      [400, null, null, long],
      [422, 'BadRequestError', null, 'Exceeds the context limit.'],
    ] as const) {
      const error = readError(status, JSON.stringify({ error: { message, code } }), headerCode);
      assert.deepEqual([error.status, error.code, error.message], [400, 'context_length_exceeded', message]);
    }
    assert.equal(readError(502, JSON.stringify({ error: { message: long } })).code, null);
    assert.equal(readError(429, JSON.stringify({ error: { message: long } })).code, null);
  });

  it('takes the code from the header if the body has none', () => {
    assert.equal(readError(429, '{"message":"Busy."}', 'inference_capacity').code, 'inference_capacity');
    assert.equal(readError(429, '{"error":{"code":"own"}}', 'inference_capacity').code, 'own');
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

  it('leaves out what a terminal would obey, and names that are none', () => {
    const error = { message: '\u001b]0;title\u0007No\r\n\u202ecapacity\ud800', param: 'a b', code: 'x'.repeat(1000) };
    assert.deepEqual(read(503, { error }), { message: ']0;title No capacity', param: null, code: null });
  });

  it('shortens a message that is very long', () => {
    assert.equal(read(500, { error: { message: 'a'.repeat(1_000_000) } }).message.length, 2000);
  });
});
