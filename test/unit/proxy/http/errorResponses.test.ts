import assert from 'node:assert/strict';
import { rawError } from '../../../../src/proxy/http/errorResponses.ts';
import { PROXY_ERRORS, errorBody } from '../../../../src/proxy/http/openaiErrors.ts';

describe('rawError()', () => {
  it('is a complete response that closes the connection', () => {
    const text = rawError(PROXY_ERRORS.badRequest, 'req_1');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.deepEqual(head.split('\r\n'), [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json',
      'x-request-id: req_1',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ]);
    assert.equal(body, errorBody(PROXY_ERRORS.badRequest));
  });
});
