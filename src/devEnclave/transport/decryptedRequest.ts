// Parses the plaintext of a request record (transport V2, section 2).
import { ENVELOPE_HEADER_NAME, isCredential, isTarget } from '../../session/envelope.ts';
import {
  CACHE_ROOT_LENGTH,
  FORBIDDEN_REQUEST_HEADERS,
  HEADER_VALUE,
  LENGTH_FIELD,
  MAX_BODY,
  MAX_METADATA,
  MAX_REQUEST_HEADERS,
  PROTOCOL_VERSION,
} from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import { exactFields, parseJson } from '../../shared/json.ts';
import type { ApiRequest } from '../model/apiHandler.ts';
import { HttpError } from './httpError.ts';

/** A request with everything that its envelope contained. */
export interface DecryptedRequest extends ApiRequest {
  /** 32 bytes. */
  readonly cacheNamespaceRoot: Uint8Array | null;
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;
const CHAT_PATH = '/v1/chat/completions';

/**
 * Parses `uint32 length of metadata || metadata || body` by the rules of section 2.
 * @throws HttpError 400; 413 for a body of more than 50 MiB
 */
export function parseDecryptedRequest(plaintext: Uint8Array): DecryptedRequest {
  const { metadata, tail } = split(plaintext);
  const fields = exactFields(
    parseJson(metadata),
    'version',
    'credential',
    'cache_namespace_root',
    'method',
    'target',
    'headers',
    'body_present',
  );
  if (fields === undefined) throw malformed('is not an object with exactly the seven fields');
  if (fields.version !== PROTOCOL_VERSION) throw malformed('does not have version 2');
  const { method, target, body_present: bodyPresent } = fields;
  if (typeof method !== 'string' || !METHOD.test(method)) throw malformed('has no valid method');
  if (typeof target !== 'string' || !isTarget(target)) throw malformed('has no valid target');
  if (typeof bodyPresent !== 'boolean') throw malformed('has no valid body_present');
  if (!bodyPresent && tail.length > 0) throw malformed('declares no body, but there is one');
  return {
    credential: parseCredential(fields.credential),
    cacheNamespaceRoot: parseCacheRoot(fields.cache_namespace_root, target),
    method,
    target,
    headers: parseHeaders(fields.headers),
    body: bodyPresent ? tail : undefined,
  };
}

function split(plaintext: Uint8Array): { readonly metadata: Uint8Array; readonly tail: Uint8Array } {
  if (plaintext.length < LENGTH_FIELD) throw malformed('has no length');
  const length = new DataView(plaintext.buffer, plaintext.byteOffset).getUint32(0);
  if (length > MAX_METADATA) throw malformed('is longer than 128 KiB');
  const end = LENGTH_FIELD + length;
  if (end > plaintext.length) throw malformed('is truncated');
  const tail = plaintext.subarray(end);
  if (tail.length > MAX_BODY) throw new HttpError(413, 'the request body is longer than 50 MiB');
  return { metadata: plaintext.subarray(LENGTH_FIELD, end), tail };
}

function parseCredential(value: unknown): string | null {
  if (value === null) return null;
  const fields = exactFields(value, 'kind', 'value');
  if (fields?.kind !== 'api_key') throw malformed('has a credential of unknown kind');
  if (typeof fields.value !== 'string' || !isCredential(fields.value)) {
    throw malformed('has no valid API key');
  }
  return fields.value;
}

function parseCacheRoot(value: unknown, target: string): Uint8Array | null {
  if (value === null) {
    if (target.split('?', 1)[0] === CHAT_PATH) throw malformed('has no cache namespace root');
    return null;
  }
  const root = typeof value === 'string' ? fromBase64(value) : undefined;
  if (root?.length !== CACHE_ROOT_LENGTH) throw malformed('has no valid cache namespace root');
  return root;
}

function parseHeaders(value: unknown): readonly HeaderField[] {
  if (!Array.isArray(value) || value.length > MAX_REQUEST_HEADERS)
    throw malformed('does not have a list of at most 64 headers');
  return value.map((field: unknown) => {
    const header = exactFields(field, 'name', 'value');
    const name = header?.name;
    const text = header?.value;
    if (
      typeof name !== 'string' ||
      typeof text !== 'string' ||
      !ENVELOPE_HEADER_NAME.test(name) ||
      !HEADER_VALUE.test(text)
    ) {
      throw malformed('has a header that is not valid in HTTP');
    }
    if (FORBIDDEN_REQUEST_HEADERS.has(name)) throw malformed(`has the forbidden header ${name}`);
    return { name, value: text };
  });
}

function malformed(what: string): HttpError {
  return new HttpError(400, `the request metadata ${what}`);
}
