// The cryptography of the enclave (transport V2, sections 1 to 3). No sockets, no clock.
import type { Aead } from '../../session/aead.ts';
import type { Expander } from '../../session/hkdf.ts';
import { agree, deriveSessionKeys, generateKeyPair } from '../../session/keys.ts';
import type { SessionKeys } from '../../session/keys.ts';
import type { Primitives } from '../../session/session.ts';
import {
  LABELS,
  LENGTH_FIELD,
  NONCE_LENGTH,
  REQUEST_ID_LENGTH,
  SEQUENCE_LENGTH,
  TAG_LENGTH,
} from '../../session/wire.ts';
import { concatBytes, toBase64, toHex, wipe } from '../../shared/bytes.ts';
import { HttpError } from './httpError.ts';

const ZERO_NONCE = new Uint8Array(NONCE_LENGTH);

/** What the client sends in the handshake, 32 bytes each. */
export interface ClientOffer {
  readonly challenge: Uint8Array;
  readonly clientPublicKey: Uint8Array;
}

/** An authentic request whose id was not used before. */
export interface OpenedRecord {
  /** 16 bytes. */
  readonly requestId: Uint8Array;
  readonly plaintext: Uint8Array;
}

/**
 * Generates a server key pair and derives the session's keys (section 1).
 * @throws HttpError 400 for a low-order client key
 */
export function acceptHandshake(
  primitives: Primitives,
  { challenge, clientPublicKey }: ClientOffer,
): { readonly session: EnclaveSession; readonly serverPublicKey: Uint8Array } {
  const { publicKey: serverPublicKey, privateKey } = generateKeyPair();
  let shared: Uint8Array;
  try {
    shared = agree(privateKey, clientPublicKey);
  } catch {
    throw new HttpError(400, 'the client public key is a low-order point');
  }
  const keys = deriveSessionKeys(primitives.hkdf, { challenge, clientPublicKey, serverPublicKey }, shared);
  wipe(shared);
  return { session: new EnclaveSession(primitives, keys, challenge), serverPublicKey };
}

/** The keys of one session, and the request ids that were used in it. */
export class EnclaveSession {
  /** 32 lower-case hex characters. */
  readonly id: string;
  /** The Base64 of the challenge. */
  readonly routingKey: string;
  readonly #aead: Aead;
  readonly #sessionId: Uint8Array;
  readonly #requestKey: Expander;
  readonly #responseKey: Expander;
  readonly #seen = new Set<string>();

  /** Overwrites `keys`. */
  constructor(primitives: Primitives, keys: SessionKeys, challenge: Uint8Array) {
    this.id = toHex(keys.sessionId);
    this.routingKey = toBase64(challenge);
    this.#aead = primitives.aead;
    this.#sessionId = keys.sessionId;
    this.#requestKey = primitives.hkdf.expander(keys.requestKey);
    this.#responseKey = primitives.hkdf.expander(keys.responseKey);
    wipe(keys.requestKey, keys.responseKey);
  }

  /**
   * Opens a request record (section 2) and remembers its id if the record is authentic.
   * @throws HttpError 400, with the resend code `request_decryption_failed`, or without one for a repeated id
   */
  open(record: Uint8Array): OpenedRecord {
    const requestId = record.slice(0, REQUEST_ID_LENGTH);
    const subkey = this.#requestKey.expand(LABELS.requestSubkey, this.#sessionId, requestId);
    const aad = concatBytes(LABELS.requestRecord, this.#sessionId, requestId);
    const plaintext = this.#decrypt(subkey, aad, record.subarray(REQUEST_ID_LENGTH));
    wipe(subkey);
    const id = toHex(requestId);
    if (this.#seen.has(id)) throw new HttpError(400, 'this request id was already used');
    this.#seen.add(id);
    return { requestId, plaintext };
  }

  /** Returns a sealer for the response to `requestId` (section 3). It remains usable after the session ends. */
  respond(requestId: Uint8Array): ResponseSealer {
    const subkey = this.#responseKey.expand(LABELS.responseSubkey, this.#sessionId, requestId);
    return new ResponseSealer(this.#aead, subkey, concatBytes(LABELS.responseRecord, this.#sessionId, requestId));
  }

  #decrypt(subkey: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array {
    try {
      return this.#aead.open(subkey, ZERO_NONCE, aad, sealed);
    } catch {
      throw new HttpError(400, 'the request could not be decrypted', 'request_decryption_failed');
    }
  }
}

/** Seals the records of one response in order. */
export class ResponseSealer {
  readonly #aead: Aead;
  readonly #subkey: Uint8Array;
  readonly #context: Uint8Array;
  /** Ends with the sequence number. */
  readonly #nonce = Buffer.alloc(NONCE_LENGTH);
  #sequence = 0n;

  /**
   * @param subkey 32 bytes
   * @param context the start of the additional data: label, session id, request id
   */
  constructor(aead: Aead, subkey: Uint8Array, context: Uint8Array) {
    this.#aead = aead;
    this.#subkey = subkey;
    this.#context = context;
  }

  /** Returns the next frame, `uint32 length || ciphertext || tag`, for a record of this type and content. */
  frame(type: number, content: Uint8Array): Uint8Array {
    const start = NONCE_LENGTH - SEQUENCE_LENGTH;
    this.#nonce.writeBigUInt64BE(this.#sequence++, start);
    const aad = concatBytes(this.#context, this.#nonce.subarray(start));
    const prefix = Buffer.alloc(LENGTH_FIELD);
    prefix.writeUInt32BE(1 + content.length + TAG_LENGTH);
    return this.#aead.seal(this.#subkey, this.#nonce, aad, prefix, [Uint8Array.of(type), content]);
  }
}
