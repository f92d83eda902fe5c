// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The plaintext of a request record: transport v2, section 2.
import { fromBase64 } from '../../shared/bytes.ts';
import { isCredential, isTarget } from '../../session/envelope.ts';
import {
  CACHE_ROOT_LENGTH,
  FORBIDDEN_REQUEST_HEADERS,
  LENGTH_FIELD,
  MAX_BODY,
  MAX_METADATA,
  MAX_REQUEST_HEADERS,
  PROTOCOL_VERSION,
} from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';
import { exactFields, parseJson } from '../../shared/json.ts';
import type { LogicalRequest } from '../model/logical.ts';
import { Refusal } from './refusal.ts';

/** A request as it came out of its envelope. */
export interface SealedRequest extends LogicalRequest {
  /** 32 bytes. */
  readonly cacheNamespaceRoot: Uint8Array | null;
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NEEDS_CACHE_ROOT = '/v1/chat/completions';

/**
 * `uint32 length of metadata || metadata || body`, held to every rule of section 2.
 * @throws Refusal 400; 413 for a body of more than 50 MiB
 */
export function parseSealedRequest(plaintext: Uint8Array): SealedRequest {
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
  if (fields === undefined) throw malformed('is not an object of exactly the seven fields');
  if (fields.version !== PROTOCOL_VERSION) throw malformed('is not of version 2');
  const { method, target, body_present: bodyPresent } = fields;
  if (typeof method !== 'string' || !METHOD.test(method)) throw malformed('has no valid method');
  if (typeof target !== 'string' || !isTarget(target)) throw malformed('has no valid target');
  if (typeof bodyPresent !== 'boolean') throw malformed('has no valid body_present');
  if (!bodyPresent && tail.length > 0) throw malformed('says that there is no body, but there is one');
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
  if (end > plaintext.length) throw malformed('is cut short');
  const tail = plaintext.subarray(end);
  if (tail.length > MAX_BODY) throw new Refusal(413, 'the request body is longer than 50 MiB');
  return { metadata: plaintext.subarray(LENGTH_FIELD, end), tail };
}

function parseCredential(value: unknown): string | null {
  if (value === null) return null;
  const fields = exactFields(value, 'kind', 'value');
  if (fields?.kind !== 'api_key') throw malformed('has a credential of an unknown kind');
  if (typeof fields.value !== 'string' || !isCredential(fields.value)) {
    throw malformed('has no valid API key');
  }
  return fields.value;
}

function parseCacheRoot(value: unknown, target: string): Uint8Array | null {
  if (value === null) {
    if (target.split('?', 1)[0] === NEEDS_CACHE_ROOT) throw malformed('has no cache namespace root');
    return null;
  }
  const root = typeof value === 'string' ? fromBase64(value) : undefined;
  if (root?.length !== CACHE_ROOT_LENGTH) throw malformed('has no valid cache namespace root');
  return root;
}

function parseHeaders(value: unknown): readonly HeaderField[] {
  if (!Array.isArray(value) || value.length > MAX_REQUEST_HEADERS) throw malformed('has no list of at most 64 headers');
  return value.map((field: unknown) => {
    const header = exactFields(field, 'name', 'value');
    const name = header?.name;
    const text = header?.value;
    if (typeof name !== 'string' || typeof text !== 'string' || !HEADER_NAME.test(name) || !HEADER_VALUE.test(text)) {
      throw malformed('has a header that HTTP cannot carry');
    }
    if (FORBIDDEN_REQUEST_HEADERS.has(name)) throw malformed(`has the forbidden header ${name}`);
    return { name, value: text };
  });
}

function malformed(what: string): Refusal {
  return new Refusal(400, `the request metadata ${what}`);
}
