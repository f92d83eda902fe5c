import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DIALECT_ERRORS, PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { AccessKeys } from '../../../../src/proxy/server/accessKeys.ts';
import { readDialectHead, readRequestHead } from '../../../../src/proxy/server/requestHead.ts';
import { MAX_BODY, MAX_REQUEST_HEADERS, MAX_TARGET } from '../../../../src/session/wire.ts';
import { BODY_LIMITS } from '../../../support/bodyLimits.ts';

const newKey = () => `sealed-${randomBytes(32).toString('base64url')}`;
const OWN_KEY = newKey();
const keys = new AccessKeys('sk-mine', [OWN_KEY]);
const read = (rawHeaders: readonly string[], target = '/v1/models') =>
  readRequestHead({ method: 'POST', target, rawHeaders, keys, limits: BODY_LIMITS }, 'sk-mine', null);

/** What the backend gets of these headers. */
function forwarded(rawHeaders: readonly string[]): unknown {
  const head = read(rawHeaders);
  assert.ok('metadata' in head);
  return (JSON.parse(Buffer.from(head.metadata.subarray(4)).toString()) as { headers: unknown }).headers;
}

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

  it('says whether there is a body', () => {
    for (const [rawHeaders, expected] of [
      [[], false],
      [['Content-Length', '0'], true],
      [['Content-Length', '12'], true],
      [['Transfer-Encoding', 'chunked'], true],
    ] as const) {
      const head = read(rawHeaders);
      assert.ok('metadata' in head);
      const metadata = JSON.parse(Buffer.from(head.metadata.subarray(4)).toString()) as Record<string, unknown>;
      assert.equal(metadata['body_present'], expected);
    }
  });

  it('takes the longest target and the most headers that fit', () => {
    const most = Array.from({ length: MAX_REQUEST_HEADERS }, (_, index) => [`x-${index}`, '']).flat();
    assert.ok('metadata' in read(most));
    assert.ok('metadata' in read([], `/${'a'.repeat(MAX_TARGET - 1)}`));
  });

  it('returns the error for a request that does not fit into an envelope', () => {
    const many = Array.from({ length: MAX_REQUEST_HEADERS + 1 }, (_, index) => [`x-${index}`, '']).flat();
    const long = Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'v'.repeat(8000)]).flat();
    assert.equal(read(['Content-Length', String(MAX_BODY + 1)]), BODY_LIMITS.relayed.error);
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

describe('readRequestHead() of a request with an access key in the wrong place', () => {
  const other = newKey();
  const KEY_HEADERS = ['x-api-key', 'api-key', 'X-Goog-Api-Key', 'x-auth-token'];

  for (const key of [OWN_KEY, other]) {
    const whose = key === OWN_KEY ? 'an access key of the proxy' : 'an unknown access key';
    it(`does not forward a header with ${whose}`, () => {
      const kept = ['x-title', 'sealed-proxy-integration-tests', 'user-agent', 'sealed-proxy/0.7.0'];
      const carriers = [...KEY_HEADERS, 'x-anything', 'referer'].flatMap((name) => [
        ...[name, key, name, `"${key}"`, name, `Bearer ${key}`, name, `http://localhost/?key=${key}&x=1`],
        ...[
          name,
          key.replaceAll('-', '%2D'),
          name,
          `http://localhost/?key=%${key.charCodeAt(0).toString(16)}${key.slice(1)}`,
        ],
      ]);
      assert.deepEqual(forwarded([...carriers, ...kept]), [
        { name: 'x-title', value: 'sealed-proxy-integration-tests' },
        { name: 'user-agent', value: 'sealed-proxy/0.7.0' },
      ]);
    });

    it(`refuses a query with ${whose}`, () => {
      const encoded = key.replaceAll('-', '%2d');
      for (const query of [
        ...['key', 'api_key', 'api-key', 'x'].map((name) => `${name}=${key}`),
        ...[key, `a=1&key=${key}`, `a=1&key=${encoded}`, `key=Bearer%20${key}`, `${key}=1`],
      ]) {
        assert.equal(read([], `/v1/models?${query}`), PROXY_ERRORS.keyInQuery, query.replaceAll(key, 'KEY'));
      }
    });
  }

  it('does not forward a damaged one, or the secret without its prefix', () => {
    const withoutStart = Array.from('sealed-', (_, index) => OWN_KEY.slice(index + 1));
    const damaged = [OWN_KEY.slice(0, -1), OWN_KEY.slice(0, 30), `${OWN_KEY}A`, ...withoutStart];
    for (const value of damaged) {
      assert.deepEqual(forwarded(KEY_HEADERS.flatMap((name) => [name, value])), []);
      assert.equal(read([], `/v1/models?api_key=${value}`), PROXY_ERRORS.keyInQuery);
    }
    for (const value of withoutStart) assert.deepEqual(forwarded(['x-any', value]), []);
  });

  it('forwards any other key, query and header', () => {
    const raw = ['x-api-key', 'sk-mine', 'x-any', 'A'.repeat(43), 'x-app', 'sealed-secrets-operator-of-some-cluster'];
    assert.equal((forwarded(raw) as unknown[]).length, 3);
    assert.ok('metadata' in read([], '/v1/models?key=sk-mine&app=sealed-secrets-operator-of-a-cluster&x=%zz%'));
  });
});

describe('readDialectHead()', () => {
  it('returns the announced length of the body', () => {
    const { max, error } = BODY_LIMITS.translated;
    for (const [rawHeaders, bodyLength] of [
      [[], 0],
      [['Content-Length', String(max), 'Content-Encoding', 'identity'], max],
      [['Transfer-Encoding', 'chunked'], undefined],
    ] as const) {
      const head = readDialectHead({ rawHeaders, limits: BODY_LIMITS });
      assert.ok('bodyLength' in head);
      assert.equal(head.bodyLength, bodyLength);
    }
    assert.equal(readDialectHead({ rawHeaders: ['Content-Length', String(max + 1)], limits: BODY_LIMITS }), error);
  });

  it('refuses a body that the proxy cannot read', () => {
    for (const [name, value, error] of [
      ['Transfer-Encoding', 'gzip', PROXY_ERRORS.badRequest],
      ['Content-Encoding', 'zstd', DIALECT_ERRORS.contentCoding],
    ] as const) {
      assert.equal(readDialectHead({ rawHeaders: [name, value], limits: BODY_LIMITS }), error);
    }
  });
});
