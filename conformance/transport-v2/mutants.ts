// Copies of the proxy from each of which one rule is missing.
import type { Area } from './suite.ts';

export interface Mutant {
  /** What the copy does. */
  readonly wrong: string;
  /** Below src. */
  readonly file: string;
  /** What is replaced, each occurring once, and by what. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** Where cases must find it. */
  readonly areas: readonly Area[];
}

function mutant(areas: readonly Area[], wrong: string, file: string, ...edits: Mutant['edits']): Mutant {
  return { wrong, file, edits, areas };
}

const HANDSHAKE = 'session/handshake.ts';
const WIRE = 'session/wire.ts';
const ATTEMPT = 'session/attempt.ts';
const EXCHANGE = 'session/exchange.ts';
const STREAM = 'session/recordStream.ts';
const RECORD = 'session/record.ts';

export const MUTANTS: readonly Mutant[] = [
  // Section 1.
  mutant(['handshake'], 'accepts a handshake of any status', HANDSHAKE, ['head.status !== 200', 'head.status === 0']),
  mutant(['handshake'], 'accepts a handshake of any type', HANDSHAKE, [
    'types.length !== 1 || types[0] !== JSON_MEDIA_TYPE',
    'types.length > 9',
  ]),
  mutant(['handshake'], 'accepts two types of a handshake', HANDSHAKE, ['types.length !== 1 || ', '']),
  mutant(['handshake'], 'accepts a handshake of any size', HANDSHAKE, ['length > MAX_HANDSHAKE_REPLY', 'length > 1e9']),
  mutant(['handshake', 'attestation'], 'does not compare the session id', HANDSHAKE, [
    'if (!constantTimeEqual(',
    'if (reply.version === 0 && !constantTimeEqual(',
  ]),
  mutant(['handshake'], 'always sends the same challenge', HANDSHAKE, [
    'randomFillSync(new Uint8Array(CHALLENGE_LENGTH))',
    'new Uint8Array(CHALLENGE_LENGTH)',
  ]),
  mutant(['handshake'], 'accepts any version', WIRE, ['version !== PROTOCOL_VERSION', 'version === null']),
  mutant(['handshake'], 'accepts any lifetime', WIRE, ['lifetime !== SESSION_SECONDS', 'lifetime === null']),
  mutant(['handshake'], 'accepts Base64 that is not canonical', 'shared/bytes.ts', [
    "bytes.toString('base64') === text ?",
    'text.length > 0 ?',
  ]),
  mutant(['handshake', 'start'], 'accepts unknown fields', 'shared/json.ts', [
    'Object.keys(fields).length !== names.length',
    'names.length === 0',
  ]),
  mutant(['attestation'], 'does not compare the nonce', 'attestation/checks.ts', [
    '  .and(CHALLENGE)\n  .and(SERVER_KEY)',
    '  .and(SERVER_KEY)',
  ]),
  mutant(['attestation'], 'does not compare the user data', 'attestation/checks.ts', [
    '  .and(CHALLENGE)\n  .and(SERVER_KEY)\n  .and(CLIENT_KEY);',
    '  .and(CHALLENGE)\n  .and(SERVER_KEY);',
  ]),
  mutant(
    ['attestation'],
    'accepts public keys of low order',
    'session/keys.ts',
    ['throw weakKey(cause); // ', 'shared = new Uint8Array(KEY_LENGTH); // '],
    ['shared.every((byte) => byte === 0)', 'shared.length === 0'],
  ),
  // Section 2.
  mutant(['requests'], 'uses a request id again', 'session/session.ts', [
    'next(): Uint8Array {',
    'next(): Uint8Array {\n    if (this.#offset >= 0) return new Uint8Array(16);',
  ]),
  mutant(['requests'], 'sends a header outside of the record', ATTEMPT, [
    "const headers = ['content-type',",
    "const headers = ['user', 'me', 'content-type',",
  ]),
  mutant(['requests'], 'passes cookies on', WIRE, ["  'cookie',\n", '']),
  mutant(['requests'], 'keeps the spelling of header names', 'proxy/http/headers.ts', [
    "const name = (raw[index] ?? '').toLowerCase();\n    const value",
    "const name = raw[index] ?? '';\n    const value",
  ]),
  mutant(['requests'], 'sends null as the cache namespace', 'session/envelope.ts', [
    'cache_namespace_root: cacheNamespaceRoot === null ?',
    'cache_namespace_root: cacheNamespaceRoot !== undefined ?',
  ]),
  mutant(['requests'], 'sends each body as JSON that it has parsed', 'session/envelope.ts', [
    'seal(metadata: Uint8Array, body: readonly Uint8Array[]): Uint8Array {',
    `seal(metadata: Uint8Array, given: readonly Uint8Array[]): Uint8Array {
    const text = Buffer.concat(given).toString();
    let body = given;
    try { body = [Buffer.from(JSON.stringify(JSON.parse(text)))]; } catch {}`,
  ]),
  // Section 3, outside of the records.
  mutant(['outer'], 'accepts any outer status', ATTEMPT, ['head.status !== 200', 'head.status === 0']),
  mutant(['outer'], 'accepts any outer type', ATTEMPT, [
    'types.length !== 1 || types[0] !== RECORD_MEDIA_TYPE',
    'types.length > 9',
  ]),
  mutant(['outer'], 'accepts a type with a parameter', ATTEMPT, [
    'types[0] !== RECORD_MEDIA_TYPE',
    "types[0]?.split(';', 1)[0] !== RECORD_MEDIA_TYPE",
  ]),
  // The records.
  mutant(['records'], 'does not verify the tags', RECORD, [
    'decode(this.#aead.open(this.#subkey, this.#nonce, this.#aad, sealed))',
    `(() => {
      const { createDecipheriv } = process.getBuiltinModule('node:crypto');
      const options = { authTagLength: 16 };
      const decipher = createDecipheriv('chacha20-poly1305', this.#subkey, this.#nonce, options);
      return decode(decipher.update(sealed.subarray(0, -16)));
    })()`,
  ]),
  mutant(['records'], 'accepts an End with content', RECORD, [
    'if (rest.length > 0) throw',
    'if (rest.length > 1e9) throw',
  ]),
  mutant(['records'], 'ignores records of unknown types', RECORD, [
    "throw new SessionError('record_malformed', 'The backend sent a record of an unknown type');",
    "return { kind: 'chunk', bytes: new Uint8Array(0) };",
  ]),
  mutant(['records'], 'takes an Error for an End', RECORD, [
    "return { kind: 'error', code: parseErrorCode(rest) };",
    'return END;',
  ]),
  mutant(
    ['records'],
    'ignores a second Start',
    STREAM,
    [
      "(record.kind === 'start') !== (this.#state === 'before-start')",
      "record.kind !== 'start' && this.#state === 'before-start'",
    ],
    [
      '        this.#sink.start(record);',
      '        if (!this.#begun) this.#sink.start(record);\n        this.#begun = true;',
    ],
    ['  #length = 0;', '  #length = 0;\n  #begun = false;'],
  ),
  mutant(['records'], 'takes the end of the connection for an End', STREAM, [
    "if (this.#state !== 'ended') throw",
    "if (this.#state === 'before-start') throw",
  ]),
  mutant(['records', 'framing'], 'ignores what comes behind the End', STREAM, [
    'while (offset < data.length) {',
    "while (offset < data.length && this.#state !== 'ended') {",
  ]),
  mutant(['framing'], 'accepts frames of any length', STREAM, ['this.#length > MAX_FRAME', 'this.#length > 1e12']),
  mutant(['start'], 'accepts any number of headers', WIRE, [
    'headers.length > MAX_RESPONSE_HEADERS',
    'headers.length > 1e9',
  ]),
  mutant(['start'], 'replaces statuses that it does not know', WIRE, [
    'status < 200 || status > 599',
    'status < 200 || status > 598',
  ]),
  mutant(['records', 'delivery'], 'ends broken responses as if they were complete', 'proxy/relay/httpSink.ts', [
    'this.#client.breakOff()',
    'this.#client.end()',
  ]),
  // The one resend.
  mutant(['resend'], 'does not need the contract for a resend', ATTEMPT, [
    "contract.length === 1 && contract[0] === '1' && ",
    'contract.length < 9 && ',
  ]),
  mutant(['resend'], 'accepts several codes for a resend', ATTEMPT, ['codes.length === 1 && ', '']),
  mutant(['resend'], 'sends again after any code', ATTEMPT, [' && RESEND_CODES.has(code)', '']),
  mutant(['resend'], 'sends again after any status', ATTEMPT, ['head.status === 400 && ', '']),
  mutant(['resend'], 'sends again more than once', EXCHANGE, ['this.#attempts > 1)', 'this.#attempts > 2)']),
  mutant(['resend'], 'never sends again', EXCHANGE, ['this.#attempts > 1)', 'this.#attempts > 0)']),
  mutant(['resend', 'outer'], 'sends again after a network error', EXCHANGE, [
    'finished: (error) => {\n        this.#finish(error);',
    `finished: (error) => {
        if (error?.code === 'network' && this.#attempts === 1) this.#resend(session);
        else this.#finish(error);`,
  ]),
  mutant(
    ['resend'],
    'sends again in the same session',
    EXCHANGE,
    ["    this.#attempt?.use.failed('rejected');\n", ''],
    ['    this.#rejected = rejected;\n', ''],
  ),
  // When a session ends early.
  mutant(['sessions'], 'never retires a session', EXCHANGE, [
    'if (attempt?.answered !== true || KEEP_SESSION.has(code)) return;',
    'if (attempt !== undefined || code.length > 0) return;',
  ]),
  mutant(['sessions'], 'retires a session after an Error', EXCHANGE, ["new Set(['enclave_error', ", 'new Set([']),
];
