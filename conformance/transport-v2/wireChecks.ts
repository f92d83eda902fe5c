// What every client must keep to in every case: the form of its handshakes and requests.
import type { OpenedRequest } from '../../test/support/enclaveHalf.ts';
import { type Field } from './suite.ts';
import { type Head, valuesOf } from './wire.ts';

const MAX_OFFER = 4096;
const MAX_METADATA = 131_072;
const NO_BODY_LIMIT = 64;
/** What HTTP itself needs, and what libraries send by themselves. */
const AMBIENT = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'accept', 'user-agent'];
const HANDSHAKE_HEADERS = ['content-type', 'x-opensecret-routing-key'];
const REQUEST_HEADERS = [...HANDSHAKE_HEADERS, 'x-session-id'];
/** Section 2: what an envelope must not contain. */
const FORBIDDEN = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'host', 'content-length', 'transfer-encoding'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'forwarded', 'via', 'x-forwarded-for'],
  ...['x-forwarded-host', 'x-forwarded-proto', 'x-opensecret-routing-key', 'x-session-id'],
]);
const FIELDS = ['body_present', 'cache_namespace_root', 'credential', 'headers', 'method', 'target', 'version'];
const NEEDS_CACHE_ROOT = '/v1/chat/completions';

/** Section 1. */
export function checkHandshake(head: Head, body: Buffer): string[] {
  const { challenge } = JSON.parse(body.toString()) as { challenge?: unknown };
  return [
    ...checkHeaders(head, HANDSHAKE_HEADERS, 'application/json'),
    ...problem(body.length > MAX_OFFER, 'the handshake has more than 4 KiB'),
    ...problem(
      valuesOf(head, 'x-opensecret-routing-key').join() !== challenge,
      'the routing key of the handshake is not its challenge',
    ),
  ];
}

/** Section 2, outside of the record. */
export function checkRequestHead(head: Head, routingKey: string): string[] {
  return [
    ...checkHeaders(head, REQUEST_HEADERS, 'application/octet-stream'),
    ...problem(
      valuesOf(head, 'x-opensecret-routing-key').join() !== routingKey,
      'the routing key of the request is not that of its session',
    ),
    ...problem(valuesOf(head, 'x-session-id').length !== 1, 'a request has more than one session id'),
  ];
}

function checkHeaders(head: Head, own: readonly string[], type: string): string[] {
  const others = head.headers.map(([name]) => name).filter((name) => ![...own, ...AMBIENT].includes(name));
  return [
    ...problem(valuesOf(head, 'content-type').join() !== type, `an outer content type is not ${type}`),
    ...others.map((name) => `an outer header ${name}`),
  ];
}

/** Section 2, the plaintext of the record. */
export function checkRecord({ metadata, body, plaintext }: OpenedRequest, key: string): string[] {
  const { version, credential, cache_namespace_root: root, method, target, headers, body_present: present } = metadata;
  return [
    ...problem(Object.keys(metadata).toSorted().join() !== FIELDS.join(), 'the metadata has other fields'),
    ...problem(version !== 2, 'the version of the metadata is not 2'),
    ...problem(plaintext.readUInt32BE() > MAX_METADATA, 'the metadata is longer than 128 KiB'),
    ...problem(!isDeepEqual(credential, { kind: 'api_key', value: key }), 'the credential is not that of the client'),
    ...problem(!isRoot(root, target), 'the cache namespace root is not the Base64 of 32 bytes'),
    ...problem(typeof method !== 'string' || method.length > 32, 'the method is no text of at most 32 bytes'),
    ...problem(typeof target !== 'string' || !/^\/(?!\/)[^#\\]{0,16383}$/.test(target), 'the target is not valid'),
    ...checkFields(headers),
    ...problem(typeof present !== 'boolean' || (!present && body.length > 0), 'body_present does not fit the body'),
  ];
}

function checkFields(headers: unknown): string[] {
  if (!Array.isArray(headers)) return ['the headers are no list'];
  return [
    ...problem(headers.length > NO_BODY_LIMIT, 'there are more than 64 headers'),
    ...headers.flatMap((header: unknown) => {
      const { name, value, ...others } = header as Record<string, unknown>;
      if (typeof name !== 'string' || typeof value !== 'string' || Object.keys(others).length > 0) {
        return ['a header is not a name and a value'];
      }
      return [
        ...problem(name !== name.toLowerCase(), `the name of the header ${name} is not in lower case`),
        ...problem(FORBIDDEN.has(name), `the envelope has the forbidden header ${name}`),
      ];
    }),
  ];
}

/** The headers of an opened request. */
export function fieldsOf({ metadata }: OpenedRequest): Field[] {
  return (metadata['headers'] as { name: string; value: string }[]).map(({ name, value }) => [name, value]);
}

function isRoot(root: unknown, target: unknown): boolean {
  if (root === null) return String(target).split('?', 1)[0] !== NEEDS_CACHE_ROOT;
  if (typeof root !== 'string') return false;
  const bytes = Buffer.from(root, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === root;
}

function isDeepEqual(found: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.entries(found ?? {});
  return (
    entries.length === Object.keys(wanted).length &&
    entries.every(([name, value]: [string, unknown]) => wanted[name] === value)
  );
}

function problem(isThere: boolean, text: string): string[] {
  return isThere ? [text] : [];
}
