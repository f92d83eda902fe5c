// Seals a request (transport V2, section 2).
import { toBase64, wipe } from '../shared/bytes.ts';
import type { Aead, SealStream } from './aead.ts';
import { SessionError } from './errors.ts';
import type { BodyReader, ReplayableBody } from './replayableBody.ts';
import type { UpstreamRequest } from './transport.ts';
import {
  CACHE_ROOT_LENGTH,
  FORBIDDEN_REQUEST_HEADERS,
  LENGTH_FIELD,
  MAX_BODY,
  MAX_CREDENTIAL,
  MAX_METADATA,
  MAX_METHOD,
  MAX_REQUEST_HEADERS,
  MAX_TARGET,
  NONCE_LENGTH,
  PROTOCOL_VERSION,
  recordLength,
} from './wire.ts';
import type { HeaderField } from './wire.ts';

/** A request without its body. */
export interface RequestMetadata {
  /** An API key of 1 to 16,384 visible ASCII characters, or null for a request that needs no identity. */
  readonly credential: string | null;
  /** 32 bytes, required for chat completions. */
  readonly cacheNamespaceRoot: Uint8Array | null;
  readonly method: string;
  /** An origin-relative path with optional query. */
  readonly target: string;
  /** Lower-case names; order and repeats are kept. */
  readonly headers: readonly HeaderField[];
  /** Distinguishes an empty body (true) from no body (false). */
  readonly bodyPresent: boolean;
}

/** A record, and what reads the body that it contains. */
export type SealedBody = Pick<UpstreamRequest, 'body' | 'length'> & { readonly reader?: BodyReader };

/** A complete body of at most this many bytes is sealed and sent as one buffer. */
const MAX_BUFFERED_BODY = 64 * 1024;
/** Sealing yields to the event loop after this many bytes. */
const SEALED_PER_TURN = 256 * 1024;
const CREDENTIAL = /^[\x21-\x7e]+$/;
const TARGET = /^\/(?!\/)[\x21-\x7e]*$/;
const METHOD = /^[A-Z]+$/;
/** The name of a header inside an envelope: a token (RFC 9110 section 5.6.2) in lower case. */
export const ENVELOPE_HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const ZERO_NONCE = new Uint8Array(NONCE_LENGTH);

/** Whether an envelope can carry this API key. */
export function isCredential(key: string): boolean {
  return key.length <= MAX_CREDENTIAL && CREDENTIAL.test(key);
}

/** Whether this is an origin-relative path with optional query: no fragment, no backslash, at most 16 KiB. */
export function isTarget(target: string): boolean {
  return target.length <= MAX_TARGET && TARGET.test(target) && !/[#\\]/.test(target);
}

/**
 * Encodes the plaintext of a request up to its body: `uint32 length || JSON`.
 * @throws SessionError `request_too_large`; RangeError for metadata that the caller should have rejected
 */
export function encodeMetadata(metadata: RequestMetadata): Uint8Array {
  const { credential, cacheNamespaceRoot, method, target, headers, bodyPresent } = metadata;
  if (credential !== null && !isCredential(credential)) throw new RangeError('The credential is invalid');
  if (method.length > MAX_METHOD || !METHOD.test(method)) throw new RangeError('The method is invalid');
  if (!isTarget(target)) throw new RangeError('The target is invalid');
  if (headers.length > MAX_REQUEST_HEADERS) throw tooLarge('more than 64 headers');
  for (const { name } of headers) {
    if (!ENVELOPE_HEADER_NAME.test(name) || FORBIDDEN_REQUEST_HEADERS.has(name))
      throw new RangeError('A header is not allowed');
  }
  if (cacheNamespaceRoot !== null && cacheNamespaceRoot.length !== CACHE_ROOT_LENGTH) {
    throw new RangeError('The cache namespace root is not 32 bytes');
  }
  const json = JSON.stringify({
    version: PROTOCOL_VERSION,
    credential: credential === null ? null : { kind: 'api_key', value: credential },
    cache_namespace_root: cacheNamespaceRoot === null ? null : toBase64(cacheNamespaceRoot),
    method,
    target,
    headers,
    body_present: bodyPresent,
  });
  const length = Buffer.byteLength(json);
  if (length > MAX_METADATA) throw tooLarge('more than 128 KiB of metadata');
  const encoded = Buffer.allocUnsafe(LENGTH_FIELD + length);
  encoded.writeUInt32BE(length);
  encoded.write(json, LENGTH_FIELD);
  return encoded;
}

/** Seals the record of one request. Each instance has its own request id and therefore its own key. */
export class RequestSealer {
  readonly #aead: Aead;
  /** Undefined after its first use: a second record under the same key and nonce would reveal both plaintexts. */
  #subkey: Uint8Array | undefined;
  readonly #aad: Uint8Array;
  readonly #requestId: Uint8Array;
  #stream: SealStream | undefined;
  #bodyLength = 0;

  /** @param subkey 32 bytes, overwritten after use */
  constructor(aead: Aead, subkey: Uint8Array, aad: Uint8Array, requestId: Uint8Array) {
    this.#aead = aead;
    this.#subkey = subkey;
    this.#aad = aad;
    this.#requestId = requestId;
  }

  /**
   * Returns the complete record for a complete body.
   * @param metadata from `encodeMetadata`
   * @param body its chunks, in order
   */
  seal(metadata: Uint8Array, body: readonly Uint8Array[]): Uint8Array {
    for (const chunk of body) this.#countBody(chunk);
    const subkey = this.#takeSubkey();
    const record = this.#aead.seal(subkey, ZERO_NONCE, this.#aad, this.#requestId, [metadata, ...body]);
    wipe(subkey);
    return record;
  }

  /** Returns the first bytes of a record whose body follows in calls of `update`, and then `final`. */
  begin(metadata: Uint8Array): Uint8Array {
    const subkey = this.#takeSubkey();
    this.#stream = this.#aead.sealStream(subkey, ZERO_NONCE, this.#aad);
    wipe(subkey);
    return Buffer.concat([this.#requestId, this.#stream.update(metadata)]);
  }

  /** Returns the ciphertext of the next chunk of the body, as long as the chunk. */
  update(chunk: Uint8Array): Uint8Array {
    this.#countBody(chunk);
    return this.#openStream().update(chunk);
  }

  /** Returns the last 16 bytes of the record. */
  final(): Uint8Array {
    const tag = this.#openStream().final();
    this.#stream = undefined;
    return tag;
  }

  /** Abandons the record and overwrites the key. */
  destroy(): void {
    if (this.#subkey !== undefined) wipe(this.#takeSubkey());
    this.#stream?.destroy();
    this.#stream = undefined;
  }

  #takeSubkey(): Uint8Array {
    const subkey = this.#subkey;
    if (subkey === undefined) throw new RangeError('The key of this record was already used');
    this.#subkey = undefined;
    return subkey;
  }

  #openStream(): SealStream {
    if (this.#stream === undefined) throw new RangeError('This record is not open');
    return this.#stream;
  }

  #countBody(chunk: Uint8Array): void {
    this.#bodyLength += chunk.length;
    if (this.#bodyLength > MAX_BODY) throw tooLarge('a body of more than 50 MiB');
  }
}

/** The record to send: one buffer for a short, complete body, else chunks that are sealed as the connection reads them. */
export function sealBody(sealer: RequestSealer, metadata: Uint8Array, body: ReplayableBody): SealedBody {
  if (body.complete && body.length <= MAX_BUFFERED_BODY) return { body: sealer.seal(metadata, body.chunks()) };
  const reader = body.read();
  const { finalLength } = body;
  const length = finalLength === undefined ? undefined : recordLength(metadata.length + finalLength);
  return { body: sealChunks(sealer, metadata, reader, finalLength), length, reader };
}

/** @param bodyLength how many bytes the reader must return together, if that is known */
async function* sealChunks(
  sealer: RequestSealer,
  metadata: Uint8Array,
  reader: BodyReader,
  bodyLength: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  yield sealer.begin(metadata);
  let sealed = 0;
  let sealedInTurn = 0;
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
    yield sealer.update(chunk);
    sealed += chunk.length;
    sealedInTurn += chunk.length;
    if (sealedInTurn >= SEALED_PER_TURN) {
      sealedInTurn = 0;
      await new Promise(setImmediate);
    }
  }
  // Without its tag, the record cannot pass for a complete one.
  if (sealed !== (bodyLength ?? sealed)) throw new RangeError('The body does not have the announced length');
  yield sealer.final();
}

function tooLarge(what: string): SessionError {
  return new SessionError('request_too_large', `The request has ${what}`);
}
