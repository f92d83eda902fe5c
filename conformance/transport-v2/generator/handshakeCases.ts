// Section 1 and the bindings of section 4: the reply to the handshake, and the document in it.
import type { Case, Handshake } from '../suite.ts';
import { CLAUSE, JSON_TYPE, RECORD_TYPE, accepted, profile, refused } from './cases.ts';

const reply = (title: string, handshake: Handshake) => refused('handshake', title, CLAUSE.reply, handshake);
const fields = (title: string, name: string, value: unknown) => reply(title, { fields: { [name]: value } });

const MAX_REPLY = 65_536;

const HANDSHAKE: readonly Case[] = [
  accepted('handshake', 'a correct reply', CLAUSE.reply, {}),
  accepted('handshake', 'a correct reply with a content length', CLAUSE.reply, { framing: 'content-length' }),
  accepted('handshake', 'a correct reply, byte by byte', CLAUSE.reply, { delivery: 'byte by byte' }),
  accepted('handshake', 'a correct reply whose end is that of the connection', CLAUSE.reply, { framing: 'close' }),
  accepted('handshake', 'a correct reply after early hints', CLAUSE.reply, {
    interim: [{ status: 103, headers: [['link', '</style.css>; rel=preload']] }],
  }),
  accepted('handshake', 'a correct reply with unknown headers', CLAUSE.reply, {
    headers: [JSON_TYPE, ['server', 'a load balancer'], ['set-cookie', 'affinity=1']],
  }),
  accepted('handshake', 'a correct reply of exactly 64 KiB', CLAUSE.reply, { paddedTo: MAX_REPLY }),
  reply('a reply of one byte more than 64 KiB', { paddedTo: MAX_REPLY + 1 }),
  reply('a reply of one byte more than 64 KiB, with a content length', {
    paddedTo: MAX_REPLY + 1,
    framing: 'content-length',
  }),
  ...[201, 204, 202, 400, 404, 429, 500, 503].map((status) => reply(`status ${status}`, { status })),
  ...[301, 302, 303, 307, 308].map((status) =>
    reply(`a redirect with status ${status}`, { status, headers: [JSON_TYPE, ['location', '/elsewhere']] }),
  ),
  reply('no content type', { headers: [] }),
  reply('a content type with a parameter', { headers: [['content-type', 'application/json; charset=utf-8']] }),
  reply('two content types', { headers: [JSON_TYPE, JSON_TYPE] }),
  reply('two different content types', { headers: [JSON_TYPE, RECORD_TYPE] }),
  reply('the content type of text', { headers: [['content-type', 'text/plain']] }),
  fields('version 1', 'version', 1),
  fields('version 3', 'version', 3),
  fields('the version as text', 'version', '2'),
  reply('no version', { without: 'version' }),
  fields('a lifetime of 3,599 seconds', 'expires_in_seconds', 3599),
  fields('a lifetime of 3,601 seconds', 'expires_in_seconds', 3601),
  fields('a lifetime of no seconds', 'expires_in_seconds', 0),
  fields('a lifetime before now', 'expires_in_seconds', -3600),
  fields('the lifetime as text', 'expires_in_seconds', '3600'),
  reply('no lifetime', { without: 'expires_in_seconds' }),
  fields('an unknown field', 'refresh_token', ''),
  reply('no session id', { without: 'session_id' }),
  fields('the session id of another session', 'session_id', '0123456789abcdef0123456789abcdef'),
  fields('a session id of 31 digits', 'session_id', '0123456789abcdef0123456789abcde'),
  fields('a session id that is null', 'session_id', null),
  reply('no document', { without: 'attestation_document' }),
  fields('an empty document', 'attestation_document', ''),
  fields('a document that is null', 'attestation_document', null),
  reply('a document without padding', { base64: 'no padding' }),
  reply('a document whose last bits are not zero', { base64: 'not canonical' }),
  reply('a document in the alphabet for URLs', { base64: 'URL alphabet' }),
  reply('a document with a line break', { base64: 'line break' }),
  reply('a list in place of an object', { body: '[]' }),
  reply('an empty body', { body: '' }),
  reply('a body that is not JSON', { body: '<h1>OK</h1>' }),
  reply('a connection that closes in the middle of the reply', { end: 'close' }),
  reply('a connection that closes in the middle of a reply with a content length', {
    end: 'close',
    framing: 'content-length',
  }),
  reply('a connection that is reset in the middle of the reply', { end: 'reset' }),
];

const bound = (title: string, document: Handshake['document'] & object) =>
  refused('attestation', title, CLAUSE.bindings, { document });

/** Encodings of points whose product with any private key is zero (RFC 7748 section 6.1). */
const LOW_ORDER: Readonly<Record<string, string>> = {
  zero: '00'.repeat(32),
  one: `01${'00'.repeat(31)}`,
  'of order 8': 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  'of order 8, the other one': '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'the prime less one': `ec${'ff'.repeat(30)}7f`,
  'the prime': `ed${'ff'.repeat(30)}7f`,
  'the prime and one': `ee${'ff'.repeat(30)}7f`,
};

const ATTESTATION: readonly Case[] = [
  accepted('attestation', 'a payload of indefinite length', CLAUSE.document, {
    document: { form: 'indefinite payload' },
  }),
  bound('the nonce of another challenge', { nonce: 'other' }),
  bound('a nonce of 31 bytes', { nonce: 'short' }),
  bound('a nonce of 33 bytes', { nonce: 'long' }),
  bound('no nonce', { nonce: 'missing' }),
  bound('a nonce that is null', { nonce: 'null' }),
  bound('a nonce that is text', { nonce: 'text' }),
  bound('a public key of 31 bytes', { publicKey: 'short' }),
  bound('a public key of 33 bytes', { publicKey: 'long' }),
  bound('no public key', { publicKey: 'missing' }),
  bound('a public key that is null', { publicKey: 'null' }),
  bound('the user data of another client', { userData: 'other' }),
  bound('user data without its last byte', { userData: 'short' }),
  bound('user data with a byte more', { userData: 'long' }),
  bound('user data with the label of another version', { userData: 'other label' }),
  bound('user data without the zero byte', { userData: 'no zero byte' }),
  bound('no user data', { userData: 'missing' }),
  bound('user data that is null', { userData: 'null' }),
  refused('attestation', 'another public key than that of the session', CLAUSE.keys, {
    document: { publicKey: 'other' },
  }),
  ...Object.entries(LOW_ORDER).map(([name, hex]) =>
    refused('attestation', `a public key of low order: ${name}`, CLAUSE.keys, { document: { publicKey: { hex } } }),
  ),
  ...(['not CBOR', 'three elements', 'payload is a map', 'payload is a list', 'truncated'] as const).map((form) =>
    refused('attestation', `a document of another form: ${form}`, CLAUSE.document, { document: { form } }),
  ),
  profile(refused('attestation', 'a byte behind the document', CLAUSE.document, { document: { form: 'byte behind' } })),
];

export const HANDSHAKE_CASES = [...HANDSHAKE, ...ATTESTATION];
