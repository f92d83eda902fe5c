import assert from 'node:assert/strict';
import { parseDecryptedRequest } from '../../../../src/devEnclave/transport/decryptedRequest.ts';
import { HttpError } from '../../../../src/devEnclave/transport/httpError.ts';
import { FORBIDDEN_REQUEST_HEADERS, MAX_BODY } from '../../../../src/session/wire.ts';
import { toBase64 } from '../../../../src/shared/bytes.ts';

const ROOT = new Uint8Array(32).fill(9);
const FIELDS = {
  version: 2,
  credential: { kind: 'api_key', value: 'dev-key' },
  cache_namespace_root: toBase64(ROOT),
  method: 'POST',
  target: '/v1/chat/completions?x=1',
  headers: [{ name: 'content-type', value: 'application/json' }],
  body_present: true,
};

function plaintext(metadata: unknown, body: Uint8Array = Buffer.from('{}')): Uint8Array {
  const json = Buffer.from(typeof metadata === 'string' ? metadata : JSON.stringify(metadata));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, body]);
}

function rejects(bytes: Uint8Array, status = 400): void {
  assert.throws(
    () => parseDecryptedRequest(bytes),
    (error) => error instanceof HttpError && error.status === status && error.resendCode === undefined,
  );
}

describe('parseDecryptedRequest()', () => {
  it('returns all fields', () => {
    const request = parseDecryptedRequest(plaintext(FIELDS));
    assert.deepEqual(request, {
      credential: 'dev-key',
      cacheNamespaceRoot: ROOT,
      method: 'POST',
      target: '/v1/chat/completions?x=1',
      headers: [{ name: 'content-type', value: 'application/json' }],
      body: Buffer.from('{}'),
    });
  });

  it('distinguishes no body from an empty one', () => {
    assert.equal(parseDecryptedRequest(plaintext({ ...FIELDS, body_present: false }, Buffer.of())).body, undefined);
    assert.deepEqual(parseDecryptedRequest(plaintext(FIELDS, Buffer.of())).body, Buffer.of());
  });

  it('accepts requests without credential, and without cache root except for chat completions', () => {
    const request = { ...FIELDS, credential: null, cache_namespace_root: null, target: '/v1/models' };
    assert.equal(parseDecryptedRequest(plaintext(request)).credential, null);
    assert.equal(parseDecryptedRequest(plaintext(request)).cacheNamespaceRoot, null);
    rejects(plaintext({ ...FIELDS, cache_namespace_root: null }));
  });

  const wrong: [string, object][] = [
    ['another version', { version: 1 }],
    ['an additional field', { extra: 1 }],
    ['a credential of another kind', { credential: { kind: 'session', value: 'dev-key' } }],
    ['a credential with an additional field', { credential: { kind: 'api_key', value: 'dev-key', scope: '' } }],
    ['an empty credential', { credential: { kind: 'api_key', value: '' } }],
    ['a credential with a space', { credential: { kind: 'api_key', value: 'dev key' } }],
    ['a credential of 16,385 characters', { credential: { kind: 'api_key', value: 'k'.repeat(16_385) } }],
    ['a cache root of 31 bytes', { cache_namespace_root: toBase64(ROOT.subarray(1)) }],
    ['a cache root without padding', { cache_namespace_root: toBase64(ROOT).slice(0, -1) }],
    ['an empty method', { method: '' }],
    ['a method of 33 bytes', { method: 'M'.repeat(33) }],
    ['a method with a space', { method: 'GET ' }],
    ['a target without a slash', { target: 'v1/models' }],
    ['a target with two slashes', { target: '//host/v1/models' }],
    ['an absolute target', { target: 'http://host/v1/models' }],
    ['a target with a fragment', { target: '/v1/models#a' }],
    ['a target with a backslash', { target: '/v1\\models' }],
    ['a target of 16,385 bytes', { target: `/${'t'.repeat(16_384)}` }],
    ['headers that are not a list', { headers: {} }],
    ['65 headers', { headers: Array<unknown>(65).fill({ name: 'a', value: '' }) }],
    ['a header name in upper case', { headers: [{ name: 'Accept', value: '' }] }],
    ['a header with a line break', { headers: [{ name: 'accept', value: 'a\r\nb' }] }],
    ['a header with an additional field', { headers: [{ name: 'accept', value: '', sensitive: true }] }],
    ['body_present as a text', { body_present: 'true' }],
    ['a body although body_present is false', { body_present: false }],
    ...[...FORBIDDEN_REQUEST_HEADERS].map((name): [string, object] => [
      `the header ${name}`,
      { headers: [{ name, value: 'x' }] },
    ]),
  ];
  for (const [what, change] of wrong) {
    it(`rejects ${what}`, () => {
      rejects(plaintext({ ...FIELDS, ...change }));
    });
  }

  for (const name of Object.keys(FIELDS)) {
    it(`rejects metadata without ${name}`, () => {
      rejects(plaintext(Object.fromEntries(Object.entries(FIELDS).filter(([field]) => field !== name))));
    });
  }

  it('rejects everything but a JSON object in UTF-8', () => {
    for (const json of ['{', '[]', 'null', '""']) rejects(plaintext(json));
    rejects(Buffer.concat([Buffer.of(0, 0, 0, 2), Buffer.of(0xff, 0xfe)]));
  });

  it('rejects a length that is missing, truncated or too large', () => {
    const complete = plaintext(FIELDS, Buffer.of());
    for (let length = 0; length < complete.length; length++) rejects(complete.subarray(0, length));
  });

  it('accepts 128 KiB of metadata and not a byte more', () => {
    const json = JSON.stringify(FIELDS);
    assert.ok(parseDecryptedRequest(plaintext(json.padEnd(131_072))));
    rejects(plaintext(json.padEnd(131_073)));
  });

  it('accepts a body of 50 MiB and rejects one byte more with 413', () => {
    const body = new Uint8Array(MAX_BODY + 1);
    assert.equal(parseDecryptedRequest(plaintext(FIELDS, body.subarray(1))).body?.length, MAX_BODY);
    rejects(plaintext(FIELDS, body), 413);
  });
});
