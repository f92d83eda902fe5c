// Section 3: the records of a response, their frames, and how they are delivered.
import { frameLength } from '../seal.ts';
import { type Answer, type Case, type Content, type Delivered, type Field, type Part, bytesOf } from '../suite.ts';
import {
  CLAUSE,
  CORRECT,
  END,
  FAILED,
  FIRST,
  JSON_TYPE,
  RECORD_TYPE,
  SECOND,
  answered,
  broken,
  chunk,
  complete,
  error,
  make,
  profile,
  start,
  startOf,
} from './cases.ts';

const body = (...parts: readonly Part[]): Answer => ({ body: parts });
/** A correct response with another Start. */
const begun = (part: Part): Answer => body(part, chunk(FIRST), chunk(SECOND), END);
const badStart = (title: string, part: Part) => answered('start', title, CLAUSE.start, begun(part), FAILED);
const badStartOf = (title: string, value: unknown) => badStart(title, startOf(value));
const fieldsOf = (...fields: readonly Field[]) => fields.map(([name, value]) => ({ name, value }));
const many = (count: number): Field[] => Array.from({ length: count }, (_, index) => [`x-field-${index}`, `${index}`]);

const MAX_START = 65_536;
/** A Start whose JSON has exactly this many bytes. */
function startOfLength(length: number): Part {
  const text = JSON.stringify({ status: 200, headers: [] });
  return { type: 1, text, fill: { byte: 0x20, length: length - text.length } };
}

function passed(title: string, status: number, text: string, headers: readonly Field[] = [JSON_TYPE]): Case {
  const answer = body(start(status, headers), chunk(text), END);
  return answered('start', title, CLAUSE.start, answer, { ...complete({ text }, status), headers });
}

const START: readonly Case[] = [
  ...[200, 201, 202, 299].map((status) => passed(`status ${status}`, status, '{"ok":true}')),
  ...[400, 401, 402, 403, 404, 409, 413, 422, 429, 499].map((status) =>
    passed(`status ${status}, of the application`, status, `{"error":{"message":"${status}"}}`),
  ),
  ...[500, 502, 503, 504, 599].map((status) =>
    passed(`status ${status}, of the application`, status, `{"error":{"message":"${status}"}}`),
  ),
  passed('a redirect of the application, which is passed on and not followed', 307, '{}', [
    JSON_TYPE,
    ['location', '/elsewhere'],
  ]),
  passed('headers with the same name', 200, '{}', [JSON_TYPE, ['x-repeated', 'one'], ['x-repeated', 'two']]),
  passed('an event stream', 200, 'data: {"choices":[]}\n\ndata: [DONE]\n\n', [['content-type', 'text/event-stream']]),
  passed('32 headers', 200, '{}', many(32)),
  // A client may also refuse such a Start.
  profile(
    answered(
      'start',
      'headers of one connection, which are not passed on',
      CLAUSE.start,
      begun(start(200, [JSON_TYPE, ['connection', 'x-named'], ['x-named', '1'], ['keep-alive', 'timeout=5']])),
      { ...complete(), headers: [JSON_TYPE], absent: ['x-named'] },
    ),
  ),
  answered('start', 'no headers', CLAUSE.start, begun(start(200, [])), complete()),
  answered('start', 'no body', CLAUSE.start, body(start(204, []), END), complete({}, 204)),
  answered('start', 'metadata of exactly 64 KiB', CLAUSE.start, begun(startOfLength(MAX_START)), complete()),
  badStart('metadata of one byte more than 64 KiB', startOfLength(MAX_START + 1)),
  badStart('33 headers', start(200, many(33))),
  ...[199, 600, 100, 0, 200.5].map((status) => badStartOf(`status ${status}`, { status, headers: [] })),
  badStartOf('a negative status', { status: -200, headers: [] }),
  badStartOf('the status as text', { status: '200', headers: [] }),
  badStartOf('no status', { headers: [] }),
  badStartOf('no list of headers', { status: 200 }),
  badStartOf('headers as an object', { status: 200, headers: { 'content-type': 'application/json' } }),
  badStartOf('an unknown field', { status: 200, headers: [], trailers: [] }),
  badStartOf('a header without a value', { status: 200, headers: [{ name: 'x-field' }] }),
  badStartOf('a header with an unknown field', {
    status: 200,
    headers: [{ name: 'x-field', value: '', sensitive: 1 }],
  }),
  badStartOf('a header with a number as its value', { status: 200, headers: [{ name: 'x-field', value: 1 }] }),
  // A client may also leave out such a header.
  ...[
    badStartOf('a header without a name', { status: 200, headers: fieldsOf(['', 'x']) }),
    badStartOf('a header whose name has a space', { status: 200, headers: fieldsOf(['x field', 'x']) }),
    badStartOf('a header whose value has a line break', {
      status: 200,
      headers: fieldsOf(['x-field', 'x\r\nset-cookie: a=b']),
    }),
  ].map(profile),
  badStart('JSON that is a list', startOf([])),
  badStart('JSON that is cut off', { type: 1, text: '{"status":200,"headers":[]' }),
  badStart('no JSON', { type: 1 }),
  badStart('text that is not UTF-8', {
    type: 1,
    hex: Buffer.from('{"status":200,"headers":[],"x":"\xff"}', 'latin1').toString('hex'),
  }),
];

const record = (title: string, clause: Parameters<typeof answered>[2], parts: readonly Part[], client: Delivered) =>
  answered('records', title, clause, body(...parts), client);
const FAILED_ERROR = error('upstream_provider_error');

const RECORDS: readonly Case[] = [
  record('a correct response', CLAUSE.grammar, CORRECT, complete()),
  record('no Chunk', CLAUSE.grammar, [start(), END], complete({})),
  record('an empty Chunk', CLAUSE.grammar, [start(), chunk(FIRST), chunk(''), chunk(SECOND), END], complete()),
  // Failed authentication.
  record('a bit of the Start is wrong', CLAUSE.seal, [{ ...start(), flip: 4 }, chunk(FIRST), END], FAILED),
  record('a bit of the tag of the Start is wrong', CLAUSE.seal, [{ ...start(), flip: -1 }, chunk(FIRST), END], FAILED),
  record('a bit of the first Chunk is wrong', CLAUSE.seal, [start(), { ...chunk(FIRST), flip: 5 }, END], broken()),
  record(
    'a bit of the type of the first Chunk is wrong',
    CLAUSE.seal,
    [start(), { ...chunk(FIRST), flip: 4 }, END],
    broken(),
  ),
  record(
    'a bit of the tag of the first Chunk is wrong',
    CLAUSE.seal,
    [start(), { ...chunk(FIRST), flip: -1 }, END],
    broken(),
  ),
  record(
    'a bit of the second Chunk is wrong',
    CLAUSE.seal,
    [start(), chunk(FIRST), { ...chunk(SECOND), flip: 5 }, END],
    broken(FIRST),
  ),
  record('a bit of the End is wrong', CLAUSE.seal, [start(), chunk(FIRST), { ...END, flip: 4 }], broken(FIRST)),
  record(
    'a bit of the tag of the End is wrong',
    CLAUSE.seal,
    [start(), chunk(FIRST), { ...END, flip: -16 }],
    broken(FIRST),
  ),
  // The sequence.
  record(
    'two Chunks change places',
    CLAUSE.seal,
    [start(), { ...chunk(SECOND), sequence: 2 }, { ...chunk(FIRST), sequence: 1 }, END],
    broken(),
  ),
  record(
    'a Chunk twice',
    CLAUSE.seal,
    [start(), chunk(FIRST), { ...chunk(FIRST), sequence: 1 }, { ...END, sequence: 2 }],
    broken(FIRST),
  ),
  record(
    'a Chunk is missing',
    CLAUSE.seal,
    [start(), { ...chunk(SECOND), sequence: 2 }, { ...END, sequence: 3 }],
    broken(),
  ),
  record('the last Chunk is missing', CLAUSE.seal, [start(), chunk(FIRST), { ...END, sequence: 3 }], broken(FIRST)),
  record(
    'the Start is missing, and the Chunk has its number',
    CLAUSE.grammar,
    [chunk(FIRST), chunk(SECOND), END],
    FAILED,
  ),
  record(
    'the Start is missing',
    CLAUSE.seal,
    [
      { ...chunk(FIRST), sequence: 1 },
      { ...END, sequence: 2 },
    ],
    FAILED,
  ),
  record(
    'the numbers begin with 1',
    CLAUSE.seal,
    [
      { ...start(), sequence: 1 },
      { ...chunk(FIRST), sequence: 2 },
      { ...END, sequence: 3 },
    ],
    FAILED,
  ),
  record(
    'the number of the Start for every record',
    CLAUSE.seal,
    [start(), { ...chunk(FIRST), sequence: 0 }, { ...END, sequence: 0 }],
    broken(),
  ),
  record(
    'a Start twice, with the same bytes',
    CLAUSE.seal,
    [start(), { ...start(), sequence: 0 }, chunk(FIRST), END],
    broken(),
  ),
  // Keys of something else.
  record(
    'records for another request',
    CLAUSE.seal,
    CORRECT.map((part) => ({ ...part, sealedFor: 'another request' })),
    FAILED,
  ),
  record(
    'records of another session',
    CLAUSE.seal,
    CORRECT.map((part) => ({ ...part, sealedFor: 'another session' })),
    FAILED,
  ),
  record(
    'a Chunk for another request',
    CLAUSE.seal,
    [start(), { ...chunk(FIRST), sealedFor: 'another request' }, END],
    broken(),
  ),
  record(
    'an End for another request',
    CLAUSE.seal,
    [start(), chunk(FIRST), { ...END, sealedFor: 'another request' }],
    broken(FIRST),
  ),
  record(
    'an End of another session',
    CLAUSE.seal,
    [start(), chunk(FIRST), { ...END, sealedFor: 'another session' }],
    broken(FIRST),
  ),
  // The grammar.
  record('a second Start', CLAUSE.grammar, [start(), chunk(FIRST), start(), chunk(SECOND), END], broken(FIRST)),
  record('a second Start with an error, at once', CLAUSE.grammar, [start(), start(500), chunk(FIRST), END], broken()),
  record('an End in place of the Start', CLAUSE.grammar, [END], FAILED),
  record('an Error in place of the Start', CLAUSE.grammar, [FAILED_ERROR], FAILED),
  record('no record', CLAUSE.grammar, [], FAILED),
  record('the Start alone', CLAUSE.grammar, [start()], broken()),
  record('no End', CLAUSE.grammar, [start(), chunk(FIRST), chunk(SECOND)], broken(FIRST + SECOND)),
  record(
    'no End, behind the end of an event stream',
    CLAUSE.grammar,
    [start(200, [['content-type', 'text/event-stream']]), chunk('data: [DONE]\n\n')],
    broken('data: [DONE]\n\n'),
  ),
  record('a Chunk behind the End', CLAUSE.grammar, [start(), chunk(FIRST), END, chunk(SECOND)], broken(FIRST)),
  record('a second End', CLAUSE.grammar, [start(), chunk(FIRST), END, END], broken(FIRST)),
  record(
    'a second response behind the End',
    CLAUSE.grammar,
    [start(), chunk(FIRST), END, start(), chunk(SECOND), END],
    broken(FIRST),
  ),
  record('an Error behind the End', CLAUSE.grammar, [start(), chunk(FIRST), END, FAILED_ERROR], broken(FIRST)),
  record('an End with content', CLAUSE.types, [start(), chunk(FIRST), { type: 3, hex: '00' }], broken(FIRST)),
  record('an End with JSON', CLAUSE.types, [start(), chunk(FIRST), { type: 3, text: '{}' }], broken(FIRST)),
  ...[0, 5, 255].map((type) =>
    record(
      `a record of type ${type}`,
      CLAUSE.types,
      [start(), chunk(FIRST), { type, text: SECOND }, END],
      broken(FIRST),
    ),
  ),
  record(
    'a record of type 0 in place of the Start',
    CLAUSE.types,
    [{ ...start(), type: 0 }, chunk(FIRST), END],
    FAILED,
  ),
  record('the Start as a Chunk', CLAUSE.types, [{ ...start(), type: 2 }, chunk(FIRST), END], FAILED),
  // Errors.
  record('an Error behind the Start', CLAUSE.error, [start(), FAILED_ERROR], broken()),
  record('an Error behind a Chunk', CLAUSE.error, [start(), chunk(FIRST), FAILED_ERROR], broken(FIRST)),
  record(
    'an Error behind the end of an event stream',
    CLAUSE.error,
    [start(200, [['content-type', 'text/event-stream']]), chunk('data: [DONE]\n\n'), FAILED_ERROR],
    broken('data: [DONE]\n\n'),
  ),
  record(
    'an Error with a code of 64 characters',
    CLAUSE.error,
    [start(), chunk(FIRST), error('x'.repeat(64))],
    broken(FIRST),
  ),
  record(
    'an Error with a code of 65 characters',
    CLAUSE.error,
    [start(), chunk(FIRST), error('x'.repeat(65))],
    broken(FIRST),
  ),
  record('an Error with capital letters', CLAUSE.error, [start(), chunk(FIRST), error('PROVIDER')], broken(FIRST)),
  record('an Error without a code', CLAUSE.error, [start(), chunk(FIRST), { type: 4, text: '{}' }], broken(FIRST)),
  record('an Error without content', CLAUSE.error, [start(), chunk(FIRST), { type: 4 }], broken(FIRST)),
  record(
    'an Error with an unknown field',
    CLAUSE.error,
    [start(), chunk(FIRST), { type: 4, text: '{"code":"x","message":""}' }],
    broken(FIRST),
  ),
  record('an End behind an Error', CLAUSE.error, [start(), chunk(FIRST), FAILED_ERROR, END], broken(FIRST)),
  record(
    'a Chunk and an End behind an Error',
    CLAUSE.error,
    [start(), chunk(FIRST), FAILED_ERROR, chunk(SECOND), END],
    broken(FIRST),
  ),
];

const frame = (title: string, parts: readonly Part[], client: Delivered) =>
  answered('framing', title, CLAUSE.frames, body(...parts), client);
const MAX_CHUNK = 65_536;
const full = (length: number): Part => ({ type: 2, fill: { byte: 0x61, length } });
const START_FRAME = frameLength(bytesOf(start()).length);
const CHUNK_FRAME = frameLength(FIRST.length);

const FRAMING: readonly Case[] = [
  frame('a Chunk of one byte', [start(), chunk('x'), END], complete({ text: 'x' })),
  frame('a Chunk of 65,536 bytes, the longest', [start(), full(MAX_CHUNK), END], complete(full(MAX_CHUNK))),
  frame('an authentic Chunk of 65,537 bytes', [start(), chunk(FIRST), full(MAX_CHUNK + 1), END], broken(FIRST)),
  frame(
    'a length of 0',
    [start(), chunk(FIRST), { raw: true, hex: '00000000' }, { ...chunk(SECOND), sequence: 2 }, { ...END, sequence: 3 }],
    broken(FIRST),
  ),
  frame('a length of 1', [start(), chunk(FIRST), { raw: true, hex: '0000000102' }], broken(FIRST)),
  frame(
    'an authentic frame of 16 bytes, without a type',
    [start(), chunk(FIRST), {}, { ...END, sequence: 3 }],
    broken(FIRST),
  ),
  frame('an authentic frame of 16 bytes, in place of the Start', [{}, start(), END], FAILED),
  ...[65_554, 65_555, 1 << 17, 0x7fff_ffff, 0xffff_ffff].map((length) =>
    frame(
      `a length of ${length.toLocaleString('en-US')}`,
      [start(), chunk(FIRST), { ...chunk(SECOND), length }],
      broken(FIRST),
    ),
  ),
  frame('a length of 4,294,967,295 in place of the Start', [{ ...start(), length: 0xffff_ffff }], FAILED),
  frame('a length that is one too small', [start(), { ...chunk(FIRST), length: CHUNK_FRAME - 5 }, END], broken()),
  frame('a length that is one too large', [start(), { ...chunk(FIRST), length: CHUNK_FRAME - 3 }, END], broken()),
  frame(
    'a length in the other order of bytes',
    [start(), { ...chunk(FIRST), length: (CHUNK_FRAME - 4) * 2 ** 24 }, END],
    broken(),
  ),
  ...[1, 2, 3, 4, 5, CHUNK_FRAME - 16, CHUNK_FRAME - 1].map((keep) =>
    frame(`the end behind ${keep} bytes of the first Chunk`, [start(), { ...chunk(FIRST), keep }], broken()),
  ),
  ...[1, 4, 20].map((keep) =>
    frame(`the end behind ${keep} bytes of the End`, [start(), chunk(FIRST), { ...END, keep }], broken(FIRST)),
  ),
  frame('the end in the middle of the Start', [{ ...start(), keep: 20 }], FAILED),
  frame('a zero byte behind the End', [start(), chunk(FIRST), END, { raw: true, hex: '00' }], broken(FIRST)),
  frame('four zero bytes behind the End', [start(), chunk(FIRST), END, { raw: true, hex: '00000000' }], broken(FIRST)),
  frame('a line break behind the End', [start(), chunk(FIRST), END, { raw: true, text: '\n' }], broken(FIRST)),
  frame('a byte before the Start', [{ raw: true, hex: '00' }, ...CORRECT], FAILED),
  frame('a Start that is not encrypted', [{ raw: true, text: '{"status":200,"headers":[]}' }], FAILED),
  frame('a Chunk that is not encrypted', [start(), { raw: true, hex: `0000001202${'61'.repeat(17)}` }, END], broken()),
  frame(
    'JSON in place of records',
    [{ raw: true, text: '{"choices":[{"message":{"content":"not sealed"}}]}' }],
    FAILED,
  ),
];

const delivered = (title: string, answer: Answer, client: Delivered = complete()) =>
  answered('delivery', title, CLAUSE.frames, { body: CORRECT, ...answer }, client);
const large = (repeat: number): readonly Part[] => [start(), { ...full(MAX_CHUNK), repeat }, END];
const small = (repeat: number): readonly Part[] => [start(), { ...chunk('x'), repeat }, END];
const filled = (byte: number, length: number): Content => ({ fill: { byte, length } });

const DELIVERY: readonly Case[] = [
  delivered('each record in an HTTP chunk', {}),
  delivered('all records in one HTTP chunk', { delivery: 'whole' }),
  delivered('each byte in an HTTP chunk', { delivery: 'byte by byte' }),
  delivered('two HTTP chunks, with each boundary between two bytes', { delivery: 'each boundary' }),
  delivered('a content length', { framing: 'content-length' }),
  delivered('a content length, byte by byte', { framing: 'content-length', delivery: 'byte by byte' }),
  delivered('the end of the connection as that of the body', { framing: 'close' }),
  delivered(
    'trailers, which are not passed on',
    { trailers: [['x-trailer', 'not authentic']] },
    { ...complete(), absent: ['x-trailer'] },
  ),
  delivered(
    'outer headers, which are not passed on',
    { headers: [RECORD_TYPE, ['set-cookie', 'a=b'], ['x-outer', '1']] },
    { ...complete(), absent: ['set-cookie', 'x-outer'] },
  ),
  delivered('an informational response before it', {
    interim: [{ status: 103, headers: [['link', '</x>; rel=preload']] }],
  }),
  delivered('three informational responses before it', {
    interim: [100, 102, 103].map((status) => ({ status, headers: [] })),
  }),
  delivered('8 MiB in the longest Chunks', { body: large(128) }, complete(filled(0x61, 128 * MAX_CHUNK))),
  delivered(
    '8 MiB in one HTTP chunk',
    { body: large(128), delivery: 'whole' },
    complete(filled(0x61, 128 * MAX_CHUNK)),
  ),
  delivered('2,000 Chunks of one byte', { body: small(2000) }, complete(filled(0x78, 2000))),
  delivered(
    '2,000 Chunks of one byte in one HTTP chunk',
    { body: small(2000), delivery: 'whole' },
    complete(filled(0x78, 2000)),
  ),
  ...(['close', 'reset'] as const).flatMap((end) => {
    const verb = end === 'close' ? 'closes' : 'is reset';
    return [
      delivered(`a connection that ${verb} behind a Chunk`, { body: [start(), chunk(FIRST)], end }, broken(FIRST)),
      delivered(
        `a connection that ${verb} in the middle of a Chunk`,
        { body: [start(), { ...chunk(FIRST), keep: 20 }], end },
        broken(),
      ),
      delivered(`a connection that ${verb} before the Start`, { body: [], end }, FAILED),
    ];
  }),
  // The End is there, but the body of the HTTP response is not complete: more could have followed.
  delivered(
    'a connection that closes behind the End, without the last HTTP chunk',
    { end: 'close' },
    broken(FIRST + SECOND),
  ),
  // As an intermediary that cuts a body off sends it.
  delivered(
    'a content length that ends before the End',
    {
      body: [start(), chunk(FIRST), END],
      framing: 'content-length',
      contentLength: START_FRAME + CHUNK_FRAME,
      end: 'close',
    },
    broken(FIRST),
  ),
  delivered(
    'the end of the connection behind a Chunk',
    { body: [start(), chunk(FIRST)], framing: 'close' },
    broken(FIRST),
  ),
  make('delivery', 'the same connection for three responses', CLAUSE.frames, {
    requests: [{}, {}, {}],
    answers: [{ body: CORRECT }, { body: [start(404), chunk(FIRST), END] }, { body: CORRECT }],
    expected: { client: [complete(), complete({ text: FIRST }, 404), complete()], sessions: [0, 0, 0] },
  }),
];

export const RESPONSE_CASES = [...START, ...RECORDS, ...FRAMING, ...DELIVERY];
