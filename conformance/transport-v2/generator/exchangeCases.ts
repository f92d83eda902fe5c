// Sections 2 and 3: what reaches the enclave, and when a request may be sent again.
import type { Answer, Case, Content, Delivered, Expected, Field, LocalRequest, Opened } from '../suite.ts';
import {
  CLAUSE,
  CORRECT,
  END,
  FAILED,
  FIRST,
  JSON_TYPE,
  RECORD_TYPE,
  TIMED_OUT,
  answered,
  broken,
  chunk,
  complete,
  error,
  make,
  start,
} from './cases.ts';

const MIB = 1024 * 1024;
const MAX_BODY = 50 * MIB;

const sent = (title: string, clause: Parameters<typeof make>[2], request: LocalRequest, opened: Opened = {}) =>
  make('requests', title, clause, {
    requests: [request],
    expected: { client: [complete()], sessions: [0], opened: [opened] },
  });
const withBody = (title: string, body: Content, more: LocalRequest = {}) =>
  sent(title, CLAUSE.plaintext, { body, ...more }, { bodyPresent: true });
/** A chat request in JSON with this text as it is. */
const json = (member: string): Content => ({ text: `{"model":"model","messages":[],${member}}` });
const dropped = (name: string, value: string) =>
  sent(
    `the header ${name} does not get into the envelope`,
    CLAUSE.metadata,
    { headers: [[name, value]] },
    { absent: [name] },
  );

const REQUESTS: readonly Case[] = [
  sent(
    'a chat request',
    CLAUSE.metadata,
    {},
    { method: 'POST', target: '/v1/chat/completions', bodyPresent: true, headers: [JSON_TYPE] },
  ),
  sent('an embeddings request', CLAUSE.metadata, { target: '/v1/embeddings' }, { target: '/v1/embeddings' }),
  sent(
    'a request without a body',
    CLAUSE.metadata,
    { method: 'GET', target: '/v1/models' },
    { method: 'GET', target: '/v1/models', bodyPresent: false },
  ),
  sent(
    'a query',
    CLAUSE.metadata,
    { target: '/v1/chat/completions?a=1&b=%20%2F&a=2' },
    { target: '/v1/chat/completions?a=1&b=%20%2F&a=2' },
  ),
  withBody(
    'JSON with spaces, line breaks and numbers that a parser would change',
    json(' "a" :\t1.0e2,\r\n"b":  12345678901234567890 '),
  ),
  withBody('JSON with the same name twice', json('"a":1,"a":2')),
  withBody('JSON with escapes and characters outside of ASCII', json(String.raw`"a":"\u00e9é😀\/"`)),
  withBody('a body that is not JSON', { text: '{"model":"model",' }),
  withBody('a body that is not UTF-8', { hex: 'fffe00010203c328' }),
  withBody('a body of one byte', { text: '1' }),
  withBody('a body of 65,536 bytes', { fill: { byte: 0x20, length: 65_536 } }),
  withBody('a body of 65,537 bytes', { fill: { byte: 0x20, length: 65_537 } }),
  withBody('a body of 5 MiB', { fill: { byte: 0x20, length: 5 * MIB } }),
  withBody('a body of 50 MiB, the longest', { fill: { byte: 0x20, length: MAX_BODY } }),
  withBody('a body in HTTP chunks, without a length', json('"a":1'), { chunked: true }),
  withBody('a body of 1 MiB in HTTP chunks', { fill: { byte: 0x20, length: MIB } }, { chunked: true }),
  make('requests', 'a body of one byte more than 50 MiB', CLAUSE.limits, {
    requests: [{ body: { fill: { byte: 0x20, length: MAX_BODY + 1 } } }],
    expected: { client: [{ outcome: 'failed', statuses: [413] }], sessions: [] },
  }),
  sent(
    'headers in their order, with names in lower case and repeats',
    CLAUSE.metadata,
    {
      headers: [
        ['X-Second', '2'],
        ['x-first', '1'],
        ['X-SECOND', '3'],
        ['x-empty', ''],
      ],
    },
    {
      headers: [
        ['x-second', '2'],
        ['x-first', '1'],
        ['x-second', '3'],
        ['x-empty', ''],
      ],
    },
  ),
  dropped('cookie', 'session=1'),
  dropped('proxy-authorization', 'Basic eDp5'),
  dropped('x-forwarded-for', '203.0.113.1'),
  dropped('x-forwarded-host', 'intranet.example'),
  dropped('x-forwarded-proto', 'https'),
  dropped('forwarded', 'for=203.0.113.1'),
  dropped('via', '1.1 intranet.example'),
  dropped('te', 'trailers'),
  dropped('keep-alive', 'timeout=5'),
  dropped('x-session-id', '0123456789abcdef0123456789abcdef'),
  dropped('x-opensecret-routing-key', 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='),
  sent(
    'a header that the connection names does not get into the envelope',
    CLAUSE.metadata,
    {
      headers: [
        ['connection', 'close, x-named'],
        ['x-named', '1'],
      ],
    },
    { absent: ['x-named', 'connection'] },
  ),
  make('requests', 'ten requests: ten request ids in one session', CLAUSE.plaintext, {
    requests: Array.from({ length: 10 }, () => ({})),
    expected: { client: Array.from({ length: 10 }, () => complete()), sessions: Array.from({ length: 10 }, () => 0) },
  }),
];

const outer = (title: string, answer: Answer, client: Delivered = FAILED) =>
  answered('outer', title, CLAUSE.outer, { body: CORRECT, ...answer }, client);

const OUTER: readonly Case[] = [
  ...[201, 202, 203, 204, 206, 400, 401, 403, 404, 408, 409, 413, 415, 421, 425, 429, 500, 502, 503, 504].map(
    (status) =>
      outer(`correct records with status ${status}`, {
        status,
        ...(status === 204 ? { body: [], framing: 'content-length' as const } : {}),
      }),
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    outer(`a redirect with status ${status}`, { status, headers: [RECORD_TYPE, ['location', '/elsewhere']] }),
  ),
  outer('no content type', { headers: [] }),
  outer('a content type with a parameter', { headers: [['content-type', 'application/octet-stream; charset=binary']] }),
  outer('the content type of JSON', { headers: [JSON_TYPE] }),
  outer('the content type of an event stream', { headers: [['content-type', 'text/event-stream']] }),
  outer('two content types', { headers: [RECORD_TYPE, RECORD_TYPE] }),
  outer('two content types in one header', {
    headers: [['content-type', 'application/octet-stream, application/octet-stream']],
  }),
  outer('an error of a load balancer', {
    status: 503,
    headers: [
      ['content-type', 'text/html'],
      ['retry-after', '0'],
    ],
    body: [{ raw: true, text: '<h1>Service Unavailable</h1>' }],
  }),
  outer('an answer in JSON with status 200', { headers: [JSON_TYPE], body: [{ raw: true, text: '{"choices":[]}' }] }),
  outer('a connection that closes before the answer', { status: 0, end: 'close' }),
  outer('a connection that is reset before the answer', { status: 0, end: 'reset' }),
  outer('an answer that is not HTTP', {
    status: 0,
    body: [{ raw: true, text: 'SSH-2.0-OpenSSH\r\n' }],
    framing: 'close',
  }),
  make('outer', 'a connection that closes before the second answer', CLAUSE.outer, {
    requests: [{}, {}],
    answers: [{ body: CORRECT }, { status: 0, end: 'close' }],
    expected: { client: [complete(), FAILED], sessions: [0, 0] },
  }),
  make('outer', 'a connection that is reset before the second answer', CLAUSE.outer, {
    requests: [{}, {}],
    answers: [{ body: CORRECT }, { status: 0, end: 'reset' }],
    expected: { client: [complete(), FAILED], sessions: [0, 0] },
  }),
];

const CONTRACT: Field = ['x-opensecret-error-contract', '1'];
const CODE = 'x-opensecret-error-code';
const NOT_FOUND: Field = [CODE, 'session_not_found'];
const NOT_DECRYPTED: Field = [CODE, 'request_decryption_failed'];

/** An answer outside of the session with these headers. */
const rejection = (...headers: readonly Field[]): Answer => ({
  status: 400,
  headers: [JSON_TYPE, ...headers],
  body: [{ raw: true, text: '{}' }],
});
const resend = (title: string, answers: readonly Answer[], expected: Expected, request?: LocalRequest) =>
  make('resend', title, CLAUSE.resend, {
    ...(request === undefined ? {} : { requests: [request] }),
    answers,
    expected,
  });
const AGAIN: Expected = { client: [complete()], sessions: [0, 1] };
const ONCE: Expected = { client: [FAILED], sessions: [0] };
const TWICE: Expected = { client: [FAILED], sessions: [0, 1] };
const LONG: LocalRequest = { body: { fill: { byte: 0x20, length: 5 * MIB } } };

const RESEND: readonly Case[] = [
  resend('session_not_found', [rejection(CONTRACT, NOT_FOUND)], AGAIN),
  resend('request_decryption_failed', [rejection(CONTRACT, NOT_DECRYPTED)], AGAIN),
  resend('the code before the contract', [rejection(NOT_FOUND, CONTRACT)], AGAIN),
  resend(
    'header names with capital letters',
    [rejection(['X-OpenSecret-Error-Contract', '1'], ['X-OpenSecret-Error-Code', 'session_not_found'])],
    AGAIN,
  ),
  resend(
    'an answer without a body',
    [{ ...rejection(CONTRACT, NOT_FOUND), body: [], framing: 'content-length' }],
    AGAIN,
  ),
  resend('a connection that closes with the answer', [{ ...rejection(CONTRACT, NOT_FOUND), framing: 'close' }], AGAIN),
  resend(
    'an answer with the type of records',
    [{ ...rejection(CONTRACT, NOT_FOUND), headers: [RECORD_TYPE, CONTRACT, NOT_FOUND] }],
    AGAIN,
  ),
  resend('a body of 5 MiB', [rejection(CONTRACT, NOT_FOUND)], AGAIN, LONG),
  resend(
    'an answer before the body of 5 MiB was sent',
    [{ ...rejection(CONTRACT, NOT_FOUND), early: true }],
    AGAIN,
    LONG,
  ),
  resend(
    'an answer before a body in HTTP chunks was sent',
    [{ ...rejection(CONTRACT, NOT_DECRYPTED), early: true }],
    AGAIN,
    { ...LONG, chunked: true },
  ),
  resend('a second session_not_found', [rejection(CONTRACT, NOT_FOUND), rejection(CONTRACT, NOT_FOUND)], TWICE),
  resend(
    'request_decryption_failed after session_not_found',
    [rejection(CONTRACT, NOT_FOUND), rejection(CONTRACT, NOT_DECRYPTED)],
    TWICE,
  ),
  resend('status 503 after session_not_found', [rejection(CONTRACT, NOT_FOUND), { status: 503, body: [] }], TWICE),
  resend(
    'a broken response after session_not_found',
    [rejection(CONTRACT, NOT_FOUND), { body: [start(), chunk(FIRST)] }],
    { client: [broken(FIRST)], sessions: [0, 1] },
  ),
  resend(
    'an error of the application after session_not_found',
    [rejection(CONTRACT, NOT_FOUND), { body: [start(401), chunk(FIRST), END] }],
    { client: [complete({ text: FIRST }, 401)], sessions: [0, 1] },
  ),
  resend('no contract', [rejection(NOT_FOUND)], ONCE),
  resend('no code', [rejection(CONTRACT)], ONCE),
  resend('neither contract nor code', [rejection()], ONCE),
  resend('contract 2', [rejection(['x-opensecret-error-contract', '2'], NOT_FOUND)], ONCE),
  resend('contract 1.0', [rejection(['x-opensecret-error-contract', '1.0'], NOT_FOUND)], ONCE),
  resend('the contract twice', [rejection(CONTRACT, CONTRACT, NOT_FOUND)], ONCE),
  resend('the contract twice in one header', [rejection(['x-opensecret-error-contract', '1, 1'], NOT_FOUND)], ONCE),
  resend('the code twice', [rejection(CONTRACT, NOT_FOUND, NOT_FOUND)], ONCE),
  resend('both codes', [rejection(CONTRACT, NOT_FOUND, NOT_DECRYPTED)], ONCE),
  resend('an unknown code', [rejection(CONTRACT, [CODE, 'inference_capacity'])], ONCE),
  resend('the code in capital letters', [rejection(CONTRACT, [CODE, 'SESSION_NOT_FOUND'])], ONCE),
  resend('a code that begins as a known one', [rejection(CONTRACT, [CODE, 'session_not_found_here'])], ONCE),
  ...[200, 401, 404, 409, 410, 421, 440, 500, 502, 503].map((status) =>
    resend(`session_not_found with status ${status}`, [{ ...rejection(CONTRACT, NOT_FOUND), status }], ONCE),
  ),
  resend(
    'correct records with the headers of session_not_found',
    [{ headers: [RECORD_TYPE, CONTRACT, NOT_FOUND], body: CORRECT }],
    { client: [complete()], sessions: [0] },
  ),
  resend(
    'session_not_found as a status of the application',
    [{ body: [start(400, [JSON_TYPE, CONTRACT, NOT_FOUND]), chunk(FIRST), END] }],
    { client: [complete({ text: FIRST }, 400)], sessions: [0] },
  ),
  resend('session_not_found in an Error', [{ body: [start(), chunk(FIRST), error('session_not_found')] }], {
    client: [broken(FIRST)],
    sessions: [0],
  }),
  resend('session_not_found in trailers', [{ ...rejection(), trailers: [CONTRACT, NOT_FOUND] }], ONCE),
  resend(
    'session_not_found in an informational response',
    [{ interim: [{ status: 103, headers: [CONTRACT, NOT_FOUND] }], ...rejection() }],
    ONCE,
  ),
  resend('a connection that closes before the answer', [{ status: 0, end: 'close' }], ONCE),
  resend('a connection that is reset before the answer', [{ status: 0, end: 'reset' }], ONCE),
  resend('a response without an End', [{ body: [start(), chunk(FIRST)] }], { client: [broken(FIRST)], sessions: [0] }),
  resend('a response without a Start', [{ body: [] }], ONCE),
  resend(
    'a response of another session',
    [{ body: CORRECT.map((part) => ({ ...part, sealedFor: 'another session' })) }],
    ONCE,
  ),
  resend('a reset in the middle of the body of 5 MiB', [{ status: 0, end: 'reset', early: true }], ONCE, LONG),
];

/** @param next the session of the next request: the same, or a fresh one */
const followed = (title: string, answer: Answer, client: Delivered, next: 0 | 1) =>
  make('sessions', title, CLAUSE.retired, {
    requests: [{}, {}],
    answers: [{ body: CORRECT, ...answer }],
    expected: { client: [client, complete()], sessions: [0, next] },
  });

/** While the first answer has begun and waits, the second request gets this answer; a third one may follow. */
function beside(title: string, second: Answer, client: readonly Delivered[], sessions: readonly number[]): Case {
  const hasThird = sessions.length > 2;
  return make('sessions', title, CLAUSE.retired, {
    requests: [{}, {}, ...(hasThird ? [{}] : [])],
    answers: [
      { body: CORRECT, heldAfter: 2 },
      { body: CORRECT, ...second },
    ],
    expected: { client: [...client, ...(hasThird ? [complete()] : [])], sessions },
  });
}

const SESSIONS: readonly Case[] = [
  followed('kept after a correct response', {}, complete(), 0),
  followed(
    'kept after an error of the application',
    { body: [start(500), chunk(FIRST), END] },
    complete({ text: FIRST }, 500),
    0,
  ),
  followed(
    'kept after an Error',
    { body: [start(), chunk(FIRST), error('upstream_provider_error')] },
    broken(FIRST),
    0,
  ),
  followed('kept after a connection that closes before the answer', { status: 0, end: 'close' }, FAILED, 0),
  followed('kept after a connection that is reset before the answer', { status: 0, end: 'reset' }, FAILED, 0),
  followed('retired after an outer status 503', { status: 503 }, FAILED, 1),
  followed('retired after an outer status 400 that is not marked', { status: 400 }, FAILED, 1),
  followed('retired after a content type of JSON', { headers: [JSON_TYPE] }, FAILED, 1),
  followed(
    'retired after a record that does not open',
    { body: [start(), { ...chunk(FIRST), flip: 5 }, END] },
    broken(),
    1,
  ),
  followed(
    'retired after a length that is too large',
    { body: [start(), { ...chunk(FIRST), length: 65_554 }] },
    broken(),
    1,
  ),
  followed(
    'retired after a length that is too small',
    { body: [start(), { raw: true, hex: '00000010' }, { raw: true, hex: '00'.repeat(16) }] },
    broken(),
    1,
  ),
  followed('retired after a second Start', { body: [start(), start(), END] }, broken(), 1),
  followed('retired after a missing Start', { body: [chunk(FIRST), END] }, FAILED, 1),
  followed('retired after a response without an End', { body: [start(), chunk(FIRST)] }, broken(FIRST), 1),
  followed(
    'retired after bytes behind the End',
    { body: [...CORRECT, { raw: true, hex: '00' }] },
    broken(FIRST + 'the second chunk'),
    1,
  ),
  beside('a second request beside an answer that has begun', {}, [complete(), complete()], [0, 0]),
  beside(
    'an answer that has begun ends after its session was retired for a status',
    { status: 503 },
    [complete(), FAILED],
    [0, 0, 1],
  ),
  beside(
    'an answer that has begun ends after its session was retired for a record that does not open',
    { body: [start(), { ...chunk(FIRST), flip: 5 }, END] },
    [complete(), broken()],
    [0, 0, 1],
  ),
  beside(
    'an answer that has begun ends after its session was rejected',
    rejection(CONTRACT, NOT_FOUND),
    [complete(), complete()],
    [0, 0, 1, 1],
  ),
  make('sessions', 'the fresh session of a resend is used for the next request', CLAUSE.retired, {
    requests: [{}, {}],
    answers: [rejection(CONTRACT, NOT_FOUND)],
    expected: { client: [complete(), complete()], sessions: [0, 1, 1] },
  }),
];

/** Seconds. */
const SHORT = 6;
const slow = (title: string, answer: Answer, client: Delivered, request: LocalRequest = {}) =>
  make('timeouts', title, CLAUSE.resend, {
    requests: [request],
    answers: [answer],
    timeoutSeconds: SHORT,
    expected: { client: [client], sessions: [0] },
  });
const STREAM: readonly Field[] = [['content-type', 'text/event-stream']];
const STREAMING: LocalRequest = { body: { text: '{"model":"model","messages":[],"stream":true}' } };

const TIMEOUTS: readonly Case[] = [
  make('timeouts', 'no reply to the handshake', CLAUSE.reply, {
    handshakes: [{ status: 0, end: 'silence' }],
    timeoutSeconds: SHORT,
    expected: { client: [TIMED_OUT], sessions: [] },
  }),
  slow('no answer to the request', { status: 0, end: 'silence' }, TIMED_OUT),
  slow('no record behind the head of the answer', { body: [], end: 'silence' }, TIMED_OUT),
  slow('silence in the middle of the Start', { body: [{ ...start(), keep: 20 }], end: 'silence' }, TIMED_OUT),
  slow(
    'silence behind a Chunk of an event stream',
    { body: [start(200, STREAM), chunk(FIRST)], end: 'silence' },
    broken(FIRST),
    STREAMING,
  ),
  slow(
    'silence behind a Chunk of a response that is no stream',
    { body: [start(), chunk(FIRST)], end: 'silence' },
    broken(FIRST),
  ),
  slow('silence behind the End', { end: 'silence', body: CORRECT }, broken(FIRST + 'the second chunk')),
];

export const EXCHANGE_CASES = [...REQUESTS, ...OUTER, ...RESEND, ...SESSIONS, ...TIMEOUTS];
