import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { DIALECT_BODY_LIMIT, DIALECT_ERRORS, PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { readDialectHead, readRequestHead } from '../../../../src/proxy/server/requestHead.ts';
import { MAX_BODY, MAX_REQUEST_HEADERS, MAX_TARGET } from '../../../../src/session/wire.ts';

const read = (rawHeaders: readonly string[], url = '/v1/models') =>
  readRequestHead({ method: 'POST', url, rawHeaders } as unknown as IncomingMessage, 'sk-mine', null);

describe('readRequestHead()', () => {
  it('returns the announced length of the body', () => {
    for (const [rawHeaders, expected] of [
      [[], 0],
      [['Content-Length', '12'], 12],
      [['Content-Length', String(MAX_BODY)], MAX_BODY],
      [['Transfer-Encoding', 'Chunked'], undefined],
    ] as const) {
      const head = read(rawHeaders);
      assert.ok('metadata' in head);
      assert.equal(head.bodyLength, expected);
    }
  });

  it('returns the error for a request that does not fit into an envelope', () => {
    const many = Array.from({ length: MAX_REQUEST_HEADERS + 1 }, (_, index) => [`x-${index}`, '']).flat();
    const long = Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'v'.repeat(8000)]).flat();
    assert.equal(read(['Content-Length', String(MAX_BODY + 1)]), PROXY_ERRORS.bodyTooLarge);
    assert.equal(read([], `/${'a'.repeat(MAX_TARGET)}`), PROXY_ERRORS.targetTooLong);
    assert.equal(read([], '/v1/models#x'), PROXY_ERRORS.badTarget);
    assert.equal(read(many), PROXY_ERRORS.tooManyHeaders);
    assert.equal(read(long), PROXY_ERRORS.tooManyHeaders);
  });

  it('refuses every transfer coding but chunked, because the body would stay encoded', () => {
    for (const coding of ['gzip', 'gzip, chunked', '']) {
      assert.equal(read(['Transfer-Encoding', coding]), PROXY_ERRORS.badRequest);
    }
    assert.equal(read(['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']), PROXY_ERRORS.badRequest);
  });
});

describe('readDialectHead()', () => {
  it('returns the announced length of the body', () => {
    const { max, error } = DIALECT_BODY_LIMIT;
    for (const [rawHeaders, bodyLength] of [
      [[], 0],
      [['Content-Length', String(max), 'Content-Encoding', 'identity'], max],
      [['Transfer-Encoding', 'chunked'], undefined],
    ] as const) {
      const head = readDialectHead({ rawHeaders: [...rawHeaders] });
      assert.ok('bodyLength' in head);
      assert.equal(head.bodyLength, bodyLength);
    }
    assert.equal(readDialectHead({ rawHeaders: ['Content-Length', String(max + 1)] }), error);
  });

  it('refuses a body that the proxy cannot read', () => {
    assert.equal(readDialectHead({ rawHeaders: ['Transfer-Encoding', 'gzip'] }), PROXY_ERRORS.badRequest);
    assert.equal(readDialectHead({ rawHeaders: ['Content-Encoding', 'zstd'] }), DIALECT_ERRORS.contentCoding);
  });
});
