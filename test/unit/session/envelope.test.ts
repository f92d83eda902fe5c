import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeMetadata, isCredential, isTarget } from '../../../src/session/envelope.ts';
import type { RequestMetadata } from '../../../src/session/envelope.ts';
import { FORBIDDEN_REQUEST_HEADERS } from '../../../src/session/wire.ts';

const METADATA: RequestMetadata = {
  credential: 'sk-test',
  cacheNamespaceRoot: new Uint8Array(32).fill(7),
  method: 'POST',
  target: '/v1/chat/completions?x=1',
  headers: [{ name: 'content-type', value: 'application/json' }],
  bodyPresent: true,
};

/** The JSON that follows its length. Checks the length. */
function decode(encoded: Uint8Array): string {
  const bytes = Buffer.from(encoded);
  assert.equal(bytes.readUInt32BE(), bytes.length - 4);
  return bytes.toString('utf8', 4);
}

describe('encodeMetadata()', () => {
  it('writes the JSON of the specification', () => {
    assert.equal(
      decode(encodeMetadata(METADATA)),
      '{"version":2,"credential":{"kind":"api_key","value":"sk-test"},' +
        '"cache_namespace_root":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","method":"POST",' +
        '"target":"/v1/chat/completions?x=1","headers":[{"name":"content-type","value":"application/json"}],' +
        '"body_present":true}',
    );
  });

  it('writes null for a missing credential or cache root', () => {
    const none = { credential: null, cacheNamespaceRoot: null, method: 'GET', headers: [], bodyPresent: false };
    assert.equal(
      decode(encodeMetadata({ ...none, target: '/v1/models' })),
      '{"version":2,"credential":null,"cache_namespace_root":null,"method":"GET","target":"/v1/models","headers":[],' +
        '"body_present":false}',
    );
  });

  it('keeps all values unchanged', () => {
    const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
    const field = fc.record({ name: fc.stringMatching(/^x-[a-z0-9-]{1,20}$/), value }, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 64 }), fc.boolean(), (headers, bodyPresent) => {
        const text = decode(encodeMetadata({ ...METADATA, headers, bodyPresent }));
        const decoded = JSON.parse(text) as Record<string, unknown>;
        assert.deepEqual(decoded['headers'], headers);
        assert.equal(decoded['body_present'], bodyPresent);
      }),
    );
  });

  it('measures the length in bytes, not in characters', () => {
    const headers = [{ name: 'x', value: '\u00e9'.repeat(100) }];
    assert.match(decode(encodeMetadata({ ...METADATA, headers })), /\u00e9{100}/);
  });

  it('accepts at most 64 headers', () => {
    const headers = (count: number) => Array.from({ length: count }, () => ({ name: 'x', value: 'v' }));
    encodeMetadata({ ...METADATA, headers: headers(64) });
    assert.throws(() => encodeMetadata({ ...METADATA, headers: headers(65) }), {
      name: 'SessionError',
      code: 'request_too_large',
    });
  });

  it('accepts at most 128 KiB', () => {
    const withValue = (length: number) => ({ ...METADATA, headers: [{ name: 'x', value: 'v'.repeat(length) }] });
    const rest = decode(encodeMetadata(withValue(0))).length;
    assert.equal(encodeMetadata(withValue(131_072 - rest)).length, 4 + 131_072);
    const refused = { name: 'SessionError', code: 'request_too_large' };
    assert.throws(() => encodeMetadata(withValue(131_072 - rest + 1)), refused);
    const twoBytes = { ...METADATA, headers: [{ name: 'x', value: '\u00e9'.repeat((131_072 - rest) / 2 + 1) }] };
    assert.throws(() => encodeMetadata(twoBytes), refused);
  });

  it('requires a method of at most 32 upper-case letters', () => {
    encodeMetadata({ ...METADATA, method: 'M'.repeat(32) });
    for (const method of ['', 'M'.repeat(33), 'post', 'PO ST', 'POST\n', 'P\u00d6ST']) {
      assert.throws(() => encodeMetadata({ ...METADATA, method }), RangeError, method);
    }
  });

  for (const name of FORBIDDEN_REQUEST_HEADERS) {
    it(`rejects the header ${name} in any spelling`, () => {
      for (const spelled of [name, name.toUpperCase(), name.replace(/[a-z]/, (letter) => letter.toUpperCase())]) {
        const headers = [
          { name: 'accept', value: '*/*' },
          { name: spelled, value: 'secret-value' },
        ];
        assert.throws(
          () => encodeMetadata({ ...METADATA, headers }),
          (error: unknown) => error instanceof RangeError && !error.message.includes('secret-value'),
          spelled,
        );
      }
    });
  }

  it('requires lower-case header names', () => {
    for (const name of ['Accept', 'X-Custom', 'x y', '', 'x:', 'caf\u00e9']) {
      assert.throws(() => encodeMetadata({ ...METADATA, headers: [{ name, value: 'v' }] }), RangeError, name);
    }
  });

  it('rejects invalid credentials and targets without quoting them', () => {
    const wrong = [
      { credential: '' },
      { credential: 'secret value' },
      { credential: 's'.repeat(16_385) },
      { target: 'secret' },
      { target: '//secret' },
    ];
    for (const change of wrong) {
      assert.throws(
        () => encodeMetadata({ ...METADATA, ...change }),
        (error: unknown) => error instanceof RangeError && !error.message.includes('secret'),
      );
    }
  });

  it('requires a cache root of exactly 32 bytes', () => {
    for (const length of [0, 31, 33]) {
      const cacheNamespaceRoot = new Uint8Array(length);
      assert.throws(() => encodeMetadata({ ...METADATA, cacheNamespaceRoot }), RangeError, `${length} bytes`);
    }
  });
});

describe('isCredential()', () => {
  it('accepts 1 to 16,384 characters', () => {
    assert.equal(isCredential(''), false);
    assert.equal(isCredential('k'), true);
    assert.equal(isCredential('k'.repeat(16_384)), true);
    assert.equal(isCredential('k'.repeat(16_385)), false);
  });

  it('accepts all visible ASCII characters and no others', () => {
    for (let code = 0; code < 0x180; code++) {
      const visible = code > 0x20 && code < 0x7f;
      const character = String.fromCharCode(code);
      for (const key of [character, `a${character}`, `${character}a`, `a${character}a`]) {
        assert.equal(isCredential(key), visible, JSON.stringify(key));
      }
    }
  });
});

describe('isTarget()', () => {
  for (const target of [
    '/',
    '/v1/models',
    '/v1/models?',
    '/v1/a?b=/c//d?e',
    '/a//b',
    '/%2f%5c%23',
    '/./..',
    '/:@!$&\'()*+,;="<>[]^`{|}',
    `/${'a'.repeat(16_383)}`,
  ]) {
    it(`accepts ${target.slice(0, 40)}`, () => {
      assert.equal(isTarget(target), true);
    });
  }

  for (const target of [
    '',
    'v1/models',
    '*',
    '//host/v1/models',
    '///',
    'http://host/v1/models',
    '/a#b',
    '/a?b#c',
    '/a\\b',
    '/\\host',
    '/a b',
    '/a\n',
    '\n/a',
    '/caf\u00e9',
    '/\u0000',
    '/\u007f',
    `/${'a'.repeat(16_384)}`,
  ]) {
    it(`rejects ${JSON.stringify(target).slice(0, 40)}`, () => {
      assert.equal(isTarget(target), false);
    });
  }
});
