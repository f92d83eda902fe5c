// Opens one record of a response (transport V2, section 3). Nothing of a record is used before its tag is verified.
import { wipe } from '../shared/bytes.ts';
import type { Aead } from './aead.ts';
import { SessionError } from './errors.ts';
import { NONCE_LENGTH, RecordType, SEQUENCE_LENGTH, parseErrorCode, parseStart } from './wire.ts';
import type { ResponseStart } from './wire.ts';

/** A verified record. The caller may keep the bytes of a chunk. */
export type ResponseRecord =
  | ({ readonly kind: 'start' } & ResponseStart)
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly code: string };

const END: ResponseRecord = { kind: 'end' };

/** Opens the records of one response in order. */
export class RecordOpener {
  readonly #aead: Aead;
  /** Undefined after `destroy`: the zeros that overwrite it are a key that anyone knows. */
  #subkey: Uint8Array | undefined;
  readonly #aad: Uint8Array;
  readonly #nonce = new Uint8Array(NONCE_LENGTH);
  readonly #aadSequence: DataView;
  readonly #nonceSequence = new DataView(this.#nonce.buffer, NONCE_LENGTH - SEQUENCE_LENGTH);
  #sequence = 0;

  /**
   * @param subkey 32 bytes, overwritten by `destroy`
   * @param context the start of the additional data: label, session id, request id
   */
  constructor(aead: Aead, subkey: Uint8Array, context: Uint8Array) {
    this.#aead = aead;
    this.#subkey = subkey;
    this.#aad = new Uint8Array(context.length + SEQUENCE_LENGTH);
    this.#aad.set(context);
    this.#aadSequence = new DataView(this.#aad.buffer, context.length);
  }

  /**
   * Verifies and decrypts the next record: `ciphertext || tag` of at least 17 bytes.
   * @throws SessionError `record_authentication`, `record_malformed`
   */
  open(sealed: Uint8Array): ResponseRecord {
    if (this.#subkey === undefined) throw new RangeError('The key of this response was destroyed');
    const sequence = this.#sequence++;
    const high = Math.floor(sequence / 2 ** 32);
    this.#nonceSequence.setUint32(0, high);
    this.#nonceSequence.setUint32(4, sequence >>> 0);
    this.#aadSequence.setUint32(0, high);
    this.#aadSequence.setUint32(4, sequence >>> 0);
    return decode(this.#aead.open(this.#subkey, this.#nonce, this.#aad, sealed));
  }

  /** Overwrites the key. No further record can be opened. */
  destroy(): void {
    if (this.#subkey !== undefined) wipe(this.#subkey);
    this.#subkey = undefined;
  }
}

function decode(plaintext: Uint8Array): ResponseRecord {
  const rest = plaintext.subarray(1);
  const type = plaintext[0] ?? 0;
  switch (type) {
    case RecordType.chunk:
      return { kind: 'chunk', bytes: rest };
    case RecordType.start:
      return { kind: 'start', ...parseStart(rest) };
    case RecordType.end:
      if (rest.length > 0) throw new SessionError('record_malformed', 'The backend sent an End record with content');
      return END;
    case RecordType.error:
      return { kind: 'error', code: parseErrorCode(rest) };
    default:
      throw new SessionError('record_malformed', 'The backend sent a record of an unknown type');
  }
}
