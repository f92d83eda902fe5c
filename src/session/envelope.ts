// Sealing a request: transport v2, section 2.
import { toBase64, wipe } from '../shared/bytes.ts';
import type { Aead, SealStream } from './aead.ts';
import { SessionError } from './errors.ts';
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
} from './wire.ts';
import type { HeaderField } from './wire.ts';

/** What the enclave is asked, apart from the body. */
export interface RequestMetadata {
  /** An API key of 1 to 16,384 visible ASCII characters, or null for requests that need no identity. */
  readonly credential: string | null;
  /** 32 bytes, required for chat completions. */
  readonly cacheNamespaceRoot: Uint8Array | null;
  readonly method: string;
  /** An origin-relative path with optional query. */
  readonly target: string;
  /** Lower-case names, in the order and with the repeats that the enclave shall see. */
  readonly headers: readonly HeaderField[];
  /** False: no body at all. True with no bytes: an empty body. */
  readonly bodyPresent: boolean;
}

const CREDENTIAL = /^[\x21-\x7e]+$/;
const TARGET = /^\/(?!\/)[\x21-\x7e]*$/;
const METHOD = /^[A-Z]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const ZERO_NONCE = new Uint8Array(NONCE_LENGTH);

/** True for a key that an envelope can carry. */
export function isCredential(key: string): boolean {
  return key.length <= MAX_CREDENTIAL && CREDENTIAL.test(key);
}

/** True for an origin-relative path with optional query: no fragment, no backslash, at most 16 KiB. */
export function isTarget(target: string): boolean {
  return target.length <= MAX_TARGET && TARGET.test(target) && !/[#\\]/.test(target);
}

/**
 * `uint32 length || JSON`: what stands in front of the body in the plaintext of a request.
 * @throws SessionError `request_too_large`, or RangeError for metadata that the caller should have refused
 */
export function encodeMetadata(metadata: RequestMetadata): Uint8Array {
  const { credential, cacheNamespaceRoot, method, target, headers, bodyPresent } = metadata;
  if (credential !== null && !isCredential(credential)) throw new RangeError('A credential no envelope can carry');
  if (method.length > MAX_METHOD || !METHOD.test(method)) throw new RangeError('A method no envelope can carry');
  if (!isTarget(target)) throw new RangeError('A target no envelope can carry');
  if (headers.length > MAX_REQUEST_HEADERS) throw tooLarge('more than 64 headers');
  for (const { name } of headers) {
    if (!HEADER_NAME.test(name) || FORBIDDEN_REQUEST_HEADERS.has(name))
      throw new RangeError('A header no envelope may carry');
  }
  if (cacheNamespaceRoot !== null && cacheNamespaceRoot.length !== CACHE_ROOT_LENGTH) {
    throw new RangeError('A cache namespace root no envelope can carry');
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

/** Seals the one record of one request. Every instance has a request id, and so a key, of its own. */
export class RequestSealer {
  readonly #aead: Aead;
  /** Undefined once it is taken: a second record under the same key and nonce would give both away. */
  #subkey: Uint8Array | undefined;
  readonly #aad: Uint8Array;
  readonly #requestId: Uint8Array;
  #stream: SealStream | undefined;
  #body = 0;

  /** Takes the 32-byte `subkey` over and overwrites it when it is spent. */
  constructor(aead: Aead, subkey: Uint8Array, aad: Uint8Array, requestId: Uint8Array) {
    this.#aead = aead;
    this.#subkey = subkey;
    this.#aad = aad;
    this.#requestId = requestId;
  }

  /**
   * The whole record, for a body whose pieces are all at hand.
   * @param metadata what `encodeMetadata` made
   */
  seal(metadata: Uint8Array, body: readonly Uint8Array[]): Uint8Array {
    for (const piece of body) this.#countBody(piece);
    const subkey = this.#takeSubkey();
    const record = this.#aead.seal(subkey, ZERO_NONCE, this.#aad, this.#requestId, [metadata, ...body]);
    wipe(subkey);
    return record;
  }

  /** The record's first bytes; the body follows by `update`, the end by `final`. */
  begin(metadata: Uint8Array): Uint8Array {
    const subkey = this.#takeSubkey();
    this.#stream = this.#aead.sealStream(subkey, ZERO_NONCE, this.#aad);
    wipe(subkey);
    return Buffer.concat([this.#requestId, this.#stream.update(metadata)]);
  }

  /** The ciphertext of the next piece of the body, of the same length. */
  update(piece: Uint8Array): Uint8Array {
    this.#countBody(piece);
    return this.#begun().update(piece);
  }

  /** The record's last 16 bytes. */
  final(): Uint8Array {
    const tag = this.#begun().final();
    this.#stream = undefined;
    return tag;
  }

  /** Given up: what is left of the key is overwritten. */
  destroy(): void {
    if (this.#subkey !== undefined) wipe(this.#takeSubkey());
    this.#stream?.destroy();
    this.#stream = undefined;
  }

  #takeSubkey(): Uint8Array {
    const subkey = this.#subkey;
    if (subkey === undefined) throw new RangeError('This record was begun before');
    this.#subkey = undefined;
    return subkey;
  }

  #begun(): SealStream {
    if (this.#stream === undefined) throw new RangeError('This record is not open');
    return this.#stream;
  }

  #countBody(piece: Uint8Array): void {
    this.#body += piece.length;
    if (this.#body > MAX_BODY) throw tooLarge('a body of more than 50 MiB');
  }
}

function tooLarge(what: string): SessionError {
  return new SessionError('request_too_large', `The request has ${what}`);
}
