// src/session: the encrypted session. It opens no sockets, reads no environment and writes no log.
// This file holds the constants and the JSON formats of transport V2. Limits are in bytes unless stated otherwise.
import { fromBase64 } from '../shared/bytes.ts';
import { exactFields, parseJson } from '../shared/json.ts';
import { SessionError } from './errors.ts';

export const PROTOCOL_VERSION = 2;
export const SESSION_PATH = '/v2/session';
export const REQUEST_PATH = '/v2/request';

export const ROUTING_KEY_HEADER = 'x-opensecret-routing-key';
export const SESSION_ID_HEADER = 'x-session-id';
export const ERROR_CONTRACT_HEADER = 'x-opensecret-error-contract';
export const ERROR_CODE_HEADER = 'x-opensecret-error-code';
export const JSON_MEDIA_TYPE = 'application/json';
export const RECORD_MEDIA_TYPE = 'application/octet-stream';
/** The outer error codes that allow the one resend (section 3), on a 400 with the error contract header only. */
export const RESEND_CODES: ReadonlySet<string> = new Set(['session_not_found', 'request_decryption_failed']);

export const CHALLENGE_LENGTH = 32;
export const PUBLIC_KEY_LENGTH = 32;
export const SESSION_ID_LENGTH = 16;
export const REQUEST_ID_LENGTH = 16;
export const KEY_LENGTH = 32;
export const NONCE_LENGTH = 12;
export const TAG_LENGTH = 16;
export const CACHE_ROOT_LENGTH = 32;

export const SESSION_SECONDS = 3600;
/** How long to use a session, measured from before its handshake was sent: its lifetime less 30 s (section 1). */
export const SESSION_USE_MS = (SESSION_SECONDS - 30) * 1000;

export const MAX_HANDSHAKE_REQUEST = 4 * 1024;
export const MAX_HANDSHAKE_REPLY = 64 * 1024;
export const MAX_METADATA = 128 * 1024;
export const MAX_METHOD = 32;
export const MAX_TARGET = 16 * 1024;
export const MAX_CREDENTIAL = 16_384;
export const MAX_REQUEST_HEADERS = 64;
export const MAX_BODY = 52_428_800;
export const MAX_RECORD = 52_559_908;

/** The length of a request's record with a plaintext of this length (section 2). */
export function recordLength(plaintextLength: number): number {
  return REQUEST_ID_LENGTH + plaintextLength + TAG_LENGTH;
}

/** The length field before the metadata of a request and before each frame of a response. */
export const LENGTH_FIELD = 4;
export const SEQUENCE_LENGTH = 8;
export const MAX_CHUNK = 65_536;
/** The record type, a full chunk, the authentication tag. */
export const MAX_FRAME = 1 + MAX_CHUNK + TAG_LENGTH;
export const MIN_FRAME = 1 + TAG_LENGTH;
export const MAX_START_METADATA = 64 * 1024;
export const MAX_RESPONSE_HEADERS = 32;
const MAX_ERROR_CODE = 64;

/** The first plaintext byte of a record. Transport V2 calls it the tag; here "tag" is the AEAD's authentication tag. */
export const RecordType = { start: 1, chunk: 2, end: 3, error: 4 } as const;

const label = (text: string) => new Uint8Array(Buffer.from(`${text}\0`, 'ascii'));

/** The labels of the key derivations, each with its trailing zero byte. */
export const LABELS = {
  transcript: label('opensecret/transport-v2/session/v1'),
  requestKey: label('opensecret/transport-v2/request-key/v1'),
  responseKey: label('opensecret/transport-v2/response-key/v1'),
  sessionId: label('opensecret/transport-v2/session-id/v1'),
  requestSubkey: label('opensecret/transport-v2/request-subkey/v1'),
  requestRecord: label('opensecret/transport-v2/request-record/v1'),
  responseSubkey: label('opensecret/transport-v2/response-subkey/v1'),
  responseRecord: label('opensecret/transport-v2/response-record/v1'),
} as const;

/** Headers that apply to one connection only (RFC 9110 section 7.6.1). */
export const HOP_BY_HOP_HEADERS = [
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** Headers that an envelope must not contain (section 2). */
export const FORBIDDEN_REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'host',
  'content-length',
  ...HOP_BY_HOP_HEADERS,
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  ROUTING_KEY_HEADER,
  SESSION_ID_HEADER,
]);

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** The decoded handshake reply (section 1). */
export interface SessionReply {
  /** 32 lower-case hex characters. */
  readonly sessionId: string;
  readonly attestationDocument: Uint8Array;
}

/** The content of a Start record (section 3). */
export interface ResponseStart {
  readonly status: number;
  readonly headers: readonly HeaderField[];
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A field value (RFC 9110 section 5.5). */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const ERROR_CODE = /^[a-z0-9_]+$/;
export const SESSION_ID = /^[0-9a-f]{32}$/;

/**
 * Parses a handshake reply: exactly the four fields, version 2, a lifetime of 3600 seconds.
 * @throws SessionError `handshake_malformed`
 */
export function parseSessionReply(bytes: Uint8Array): SessionReply {
  const fields = exactFields(parseJson(bytes), 'version', 'session_id', 'attestation_document', 'expires_in_seconds');
  if (fields === undefined) throw malformedReply('it is not a JSON object with exactly the four fields');
  const { version, session_id: sessionId, attestation_document: document, expires_in_seconds: lifetime } = fields;
  if (version !== PROTOCOL_VERSION) throw malformedReply('its version is not supported (expected 2)');
  if (lifetime !== SESSION_SECONDS) throw malformedReply('its lifetime is not 3600 seconds');
  if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId))
    throw malformedReply('its session id is not 32 hex digits');
  const attestationDocument = typeof document === 'string' ? fromBase64(document) : undefined;
  if (attestationDocument === undefined) throw malformedReply('its attestation document is not Base64');
  return { sessionId, attestationDocument };
}

/**
 * Parses the content of a Start record.
 * @throws SessionError `record_malformed`
 */
export function parseStart(bytes: Uint8Array): ResponseStart {
  if (bytes.length > MAX_START_METADATA) throw malformedRecord('a Start record of more than 64 KiB');
  const fields = exactFields(parseJson(bytes), 'status', 'headers');
  if (fields === undefined) throw malformedRecord('a Start record that is not a JSON object of status and headers');
  const { status, headers } = fields;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw malformedRecord('a Start record with a status outside 200 to 599');
  }
  if (!Array.isArray(headers) || headers.length > MAX_RESPONSE_HEADERS) {
    throw malformedRecord('a Start record whose headers are not a list of at most 32');
  }
  return { status, headers: headers.map(parseHeader) };
}

/**
 * Parses the content of an Error record and returns its code.
 * @throws SessionError `record_malformed`
 */
export function parseErrorCode(bytes: Uint8Array): string {
  const code = exactFields(parseJson(bytes), 'code')?.code;
  if (typeof code !== 'string' || code.length > MAX_ERROR_CODE || !ERROR_CODE.test(code)) {
    throw malformedRecord('an Error record without a code of at most 64 lower-case letters, digits and underscores');
  }
  return code;
}

function parseHeader(field: unknown): HeaderField {
  const known = exactFields(field, 'name', 'value');
  const name = known?.name;
  const value = known?.value;
  if (typeof name !== 'string' || typeof value !== 'string' || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
    throw malformedRecord('a Start record with a header that is not valid in HTTP');
  }
  return { name, value };
}

function malformedReply(reason: string): SessionError {
  return new SessionError('handshake_malformed', `The backend's handshake reply is invalid: ${reason}`);
}

function malformedRecord(reason: string): SessionError {
  return new SessionError('record_malformed', `The backend sent ${reason}`);
}
