// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The enclave's half of the cryptography: transport v2, sections 1 to 3. No sockets, no clock.
import { concatBytes, toBase64, toHex, wipe } from '../../shared/bytes.ts';
import type { Aead } from '../../session/aead.ts';
import type { Expander } from '../../session/hkdf.ts';
import { agree, deriveSessionKeys, generateKeyPair } from '../../session/keys.ts';
import type { SessionKeys } from '../../session/keys.ts';
import type { Primitives } from '../../session/session.ts';
import { LABELS, LENGTH_FIELD, NONCE_LENGTH, REQUEST_ID_LENGTH, TAG_LENGTH } from '../../session/wire.ts';
import { Refusal } from './refusal.ts';

const ZERO_NONCE = new Uint8Array(NONCE_LENGTH);
const SEQUENCE_LENGTH = 8;

/** What a client brings to its handshake, 32 bytes each. */
export interface ClientHello {
  readonly challenge: Uint8Array;
  readonly clientPublicKey: Uint8Array;
}

/** An authentic request that was never seen before. */
export interface OpenedRecord {
  /** 16 bytes. */
  readonly requestId: Uint8Array;
  readonly plaintext: Uint8Array;
}

/**
 * Section 1, keys: a fresh server key pair and the session that it makes with the client's.
 * @throws SessionError `weak_public_key` for a low-order client key
 */
export function acceptHandshake(
  primitives: Primitives,
  { challenge, clientPublicKey }: ClientHello,
): { readonly session: EnclaveSession; readonly serverPublicKey: Uint8Array } {
  const { publicKey: serverPublicKey, privateKey } = generateKeyPair();
  const shared = agree(privateKey, clientPublicKey);
  const keys = deriveSessionKeys(primitives.hkdf, { challenge, clientPublicKey, serverPublicKey }, shared);
  wipe(shared);
  return { session: new EnclaveSession(primitives, keys, challenge), serverPublicKey };
}

/** One session as the enclave keeps it. */
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

  /** Takes `keys` over and overwrites them. */
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
   * Section 2: opens a request record and remembers its id. Only an authentic record uses its id up.
   * @throws Refusal 400, marked `request_decryption_failed`; unmarked for an id that was used before
   */
  open(record: Uint8Array): OpenedRecord {
    const requestId = record.slice(0, REQUEST_ID_LENGTH);
    const subkey = this.#requestKey.expand(LABELS.requestSubkey, this.#sessionId, requestId);
    const aad = concatBytes(LABELS.requestRecord, this.#sessionId, requestId);
    const plaintext = this.#authenticate(subkey, aad, record.subarray(REQUEST_ID_LENGTH));
    wipe(subkey);
    const id = toHex(requestId);
    if (this.#seen.has(id)) throw new Refusal(400, 'this request id was used before');
    this.#seen.add(id);
    return { requestId, plaintext };
  }

  /** Section 3: seals the records of the answer to `requestId`. It outlives the session. */
  respond(requestId: Uint8Array): ResponseSealer {
    const subkey = this.#responseKey.expand(LABELS.responseSubkey, this.#sessionId, requestId);
    return new ResponseSealer(this.#aead, subkey, concatBytes(LABELS.responseRecord, this.#sessionId, requestId));
  }

  #authenticate(subkey: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array {
    try {
      return this.#aead.open(subkey, ZERO_NONCE, aad, sealed);
    } catch {
      throw decryptionFailed();
    }
  }
}

/** Seals the records of one response, in their order. */
export class ResponseSealer {
  readonly #aead: Aead;
  readonly #subkey: Uint8Array;
  readonly #aad: Uint8Array;
  readonly #nonce = new Uint8Array(NONCE_LENGTH);
  readonly #aadSequence: DataView;
  readonly #nonceSequence = new DataView(this.#nonce.buffer, NONCE_LENGTH - SEQUENCE_LENGTH);
  #sequence = 0n;

  /**
   * Takes the 32-byte `subkey` over.
   * @param context what the additional data begin with: label, session id, request id
   */
  constructor(aead: Aead, subkey: Uint8Array, context: Uint8Array) {
    this.#aead = aead;
    this.#subkey = subkey;
    this.#aad = concatBytes(context, new Uint8Array(SEQUENCE_LENGTH));
    this.#aadSequence = new DataView(this.#aad.buffer, context.length);
  }

  /** The next frame: `uint32 length || ciphertext || tag` of the record's tag byte and its content. */
  frame(tag: number, content: Uint8Array): Uint8Array {
    this.#nonceSequence.setBigUint64(0, this.#sequence);
    this.#aadSequence.setBigUint64(0, this.#sequence);
    this.#sequence += 1n;
    const prefix = new Uint8Array(LENGTH_FIELD);
    new DataView(prefix.buffer).setUint32(0, 1 + content.length + TAG_LENGTH);
    return this.#aead.seal(this.#subkey, this.#nonce, this.#aad, prefix, [Uint8Array.of(tag), content]);
  }
}

function decryptionFailed(): Refusal {
  return new Refusal(400, 'the request could not be decrypted', 'request_decryption_failed');
}
