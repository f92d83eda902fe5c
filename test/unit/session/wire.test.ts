import assert from 'node:assert/strict';
import {
  FORBIDDEN_REQUEST_HEADERS,
  LABELS,
  MAX_BODY,
  MAX_FRAME,
  MAX_METADATA,
  MAX_RECORD,
  MIN_FRAME,
  SESSION_USE_MS,
  parseErrorCode,
  parseSessionReply,
  parseStart,
} from '../../../src/session/wire.ts';
import { toHex } from '../../../src/shared/bytes.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const REPLY = {
  version: 2,
  session_id: '0123456789abcdef0123456789abcdef',
  attestation_document: 'AAEC',
  expires_in_seconds: 3600,
};

describe('LABELS, FORBIDDEN_REQUEST_HEADERS and MAX_BODY', () => {
  it('have the values of the specification', () => {
    assert.equal(MAX_BODY, 50 * 1024 * 1024);
    assert.equal(MAX_RECORD, 16 + 4 + MAX_METADATA + MAX_BODY + 16);
    assert.deepEqual([MIN_FRAME, MAX_FRAME], [17, 65_553]);
    assert.equal(SESSION_USE_MS, 3_570_000);
  });

  it('end each label with one zero byte', () => {
    for (const label of Object.values(LABELS)) assert.equal(label.indexOf(0), label.length - 1);
    assert.equal(Buffer.from(LABELS.sessionId).toString(), 'opensecret/transport-v2/session-id/v1\0');
    assert.equal(new Set(Object.values(LABELS).map(toHex)).size, 8);
  });

  it('list every forbidden header', () => {
    const listed =
      'authorization, proxy-authorization, cookie, set-cookie, host, content-length, transfer-encoding, connection, ' +
      'keep-alive, te, trailer, upgrade, forwarded, via, x-forwarded-for, x-forwarded-host, x-forwarded-proto, ' +
      'x-opensecret-routing-key, x-session-id';
    assert.deepEqual([...FORBIDDEN_REQUEST_HEADERS].toSorted(), listed.split(', ').toSorted());
  });
});

describe('parseSessionReply()', () => {
  it('accepts exactly the four fields in any order', () => {
    for (const fields of [REPLY, Object.fromEntries(Object.entries(REPLY).toReversed())]) {
      const { sessionId, attestationDocument } = parseSessionReply(json(fields));
      assert.equal(sessionId, REPLY.session_id);
      assert.equal(toHex(attestationDocument), '000102');
    }
  });

  for (const [what, reply] of [
    ['is empty', Buffer.alloc(0)],
    ['is not JSON', Buffer.from('{')],
    ['is JSON followed by other data', Buffer.concat([json(REPLY), Buffer.from('x')])],
    ['begins with a byte order mark', Buffer.concat([Buffer.from('efbbbf', 'hex'), json(REPLY)])],
    ['is not UTF-8', Buffer.from(JSON.stringify({ ...REPLY, session_id: '\u00ff' }), 'latin1')],
    ['is null', json(null)],
    ['is a list', json([REPLY])],
    ['is a string', json('x')],
    ['has an additional field', json({ ...REPLY, more: 1 })],
    ['has a field of the prototype instead of its own', json({ ...REPLY, version: undefined, toString: 1 })],
    ...Object.keys(REPLY).map((name): [string, Buffer] => [`lacks ${name}`, json({ ...REPLY, [name]: undefined })]),
    ...Object.keys(REPLY).map((name): [string, Buffer] => [`has null for ${name}`, json({ ...REPLY, [name]: null })]),
    ...[1, 3, '2', 2.5].map((version): [string, Buffer] => [
      `has version ${JSON.stringify(version)}`,
      json({ ...REPLY, version }),
    ]),
    ...[3599, 3601, 0, -3600, '3600', 1e9].map((lifetime): [string, Buffer] => [
      `has a lifetime of ${JSON.stringify(lifetime)} seconds`,
      json({ ...REPLY, expires_in_seconds: lifetime }),
    ]),
    ...[
      '',
      'ab',
      REPLY.session_id.toUpperCase(),
      `${REPLY.session_id}\n`,
      `${REPLY.session_id}00`,
      7,
      [REPLY.session_id],
    ].map((id): [string, Buffer] => [`has session id ${JSON.stringify(id)}`, json({ ...REPLY, session_id: id })]),
    ...['AAE', 'AAE=\n', 'AA-_', 'AAF=', 'AAEC==', 7, ['AAEC']].map((document): [string, Buffer] => [
      `has document ${JSON.stringify(document)}`,
      json({ ...REPLY, attestation_document: document }),
    ]),
  ] satisfies readonly (readonly [string, Buffer])[]) {
    it(`rejects a reply that ${what}`, () => {
      assert.throws(() => parseSessionReply(reply), { name: 'SessionError', code: 'handshake_malformed' });
    });
  }

  it('does not quote the reply in its errors', () => {
    const secret = Buffer.from('{"session_id": private-text');
    assert.throws(
      () => parseSessionReply(secret),
      (error: Error) => !error.message.includes('private') && error.cause === undefined,
    );
  });
});

describe('parseStart()', () => {
  const header = (name: unknown, value: unknown) => json({ status: 200, headers: [{ name, value }] });

  it('accepts every status from 200 to 599', () => {
    for (let status = 200; status <= 599; status++) {
      assert.deepEqual(parseStart(json({ status, headers: [] })), { status, headers: [] });
    }
  });

  for (const status of [-1, 0, 100, 101, 199, 600, 999, 200.5, '200', null, [200]]) {
    it(`rejects status ${JSON.stringify(status)}`, () => {
      assert.throws(() => parseStart(json({ status, headers: [] })), { code: 'record_malformed' });
    });
  }

  it('keeps the order, the repeats and the spelling of headers', () => {
    const headers = [
      { name: 'X-B', value: '1' },
      { name: 'a', value: '' },
      { name: 'x-b', value: 'caf\u00e9\t"' },
      { name: 'X-B', value: '1' },
    ];
    assert.deepEqual(parseStart(json({ status: 200, headers })).headers, headers);
  });

  it('accepts at most 32 headers', () => {
    const headers = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `x-${at}`, value: 'v' }));
    assert.equal(parseStart(json({ status: 200, headers: headers(32) })).headers.length, 32);
    assert.throws(() => parseStart(json({ status: 200, headers: headers(33) })), { code: 'record_malformed' });
  });

  it('accepts at most 64 KiB', () => {
    const frame = json({ status: 200, headers: [{ name: 'x', value: '' }] }).length;
    const value = (length: number) => header('x', 'v'.repeat(length - frame));
    assert.equal(value(65_536).length, 65_536);
    assert.equal(parseStart(value(65_536)).status, 200);
    assert.throws(() => parseStart(value(65_537)), { code: 'record_malformed', message: /64 KiB/ });
  });

  for (const name of ['', ' ', 'a b', 'a:', 'a\r\n', 'caf\u00e9', '\u0000', 7, null]) {
    it(`rejects a header named ${JSON.stringify(name)}`, () => {
      assert.throws(() => parseStart(header(name, 'v')), { code: 'record_malformed' });
    });
  }

  for (const value of ['a\nb', 'a\rb', '\n', '\u0000', '\u007f', '\u0100', '\u2028', 7, null]) {
    it(`rejects a header value of ${JSON.stringify(value)}`, () => {
      assert.throws(() => parseStart(header('x', value)), { code: 'record_malformed' });
    });
  }

  for (const [what, content] of [
    ['empty content', Buffer.alloc(0)],
    ['invalid JSON', Buffer.from('{"status":200')],
    ['a list', json([])],
    ['missing headers', json({ status: 200 })],
    ['a missing status', json({ headers: [] })],
    ['an additional field', json({ status: 200, headers: [], more: 1 })],
    ['headers that are an object', json({ status: 200, headers: {} })],
    ['a header that is a list', json({ status: 200, headers: [['a', 'b']] })],
    ['a header without a value', json({ status: 200, headers: [{ name: 'a' }] })],
    ['a header with an additional field', json({ status: 200, headers: [{ name: 'a', value: 'b', more: 1 }] })],
    ['invalid UTF-8', Buffer.from('7b22ff', 'hex')],
  ] as const) {
    it(`rejects ${what}`, () => {
      assert.throws(() => parseStart(content), { name: 'SessionError', code: 'record_malformed' });
    });
  }
});

describe('parseErrorCode()', () => {
  for (const code of ['a', 'upstream_timeout', '0_9', 'x'.repeat(64)]) {
    it(`accepts the code ${code}`, () => {
      assert.equal(parseErrorCode(json({ code })), code);
    });
  }

  for (const content of [
    {},
    { code: '' },
    { code: 'x'.repeat(65) },
    { code: 'Upper' },
    { code: 'with-dash' },
    { code: 'with space' },
    { code: 'line\n' },
    { code: 7 },
    { code: null },
    { code: 'a', more: 1 },
    ['a'],
    'a',
    null,
  ]) {
    it(`rejects ${JSON.stringify(content)}`, () => {
      assert.throws(() => parseErrorCode(json(content)), { name: 'SessionError', code: 'record_malformed' });
    });
  }

  it('rejects empty content', () => {
    assert.throws(() => parseErrorCode(new Uint8Array(0)), { code: 'record_malformed' });
  });
});
