// ChaCha20-Poly1305 (RFC 8439), in two implementations of one interface. Electron's BoringSSL lacks the
// `chacha20-poly1305` cipher. Calls into Node's cipher are expensive, so small records are faster in JavaScript.
import { createCipheriv, createDecipheriv, getCiphers } from 'node:crypto';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { chacha20 } from '@noble/ciphers/chacha.js';
import { constantTimeEqual, wipe } from '../shared/bytes.ts';
import { SessionError } from './errors.ts';
import { TAG_LENGTH } from './wire.ts';

/** Encrypts one message in several parts. */
export interface SealStream {
  /** Returns the ciphertext of the next part, as long as the part, in fresh memory. */
  update(plaintext: Uint8Array): Uint8Array;
  /** Ends the message and returns its 16-byte tag. */
  final(): Uint8Array;
  /** Abandons the message and overwrites the key. */
  destroy(): void;
}

/** Keys are 32 bytes, nonces 12, tags 16. No method keeps or changes its arguments. */
export interface Aead {
  sealStream(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array): SealStream;
  /**
   * Returns `prefix || ciphertext || tag`, in fresh memory.
   * @param prefix at most 32 bytes, not encrypted
   * @param parts the parts of the plaintext, in order
   */
  seal(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    prefix: Uint8Array,
    parts: readonly Uint8Array[],
  ): Uint8Array;
  /**
   * Returns the plaintext of `ciphertext || tag`, in fresh memory.
   * @throws SessionError `record_authentication`
   */
  open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array;
}

const CIPHER = 'chacha20-poly1305';

/** OpenSSL, through `node:crypto`. */
export const nativeAead: Aead = {
  sealStream(key, nonce, aad) {
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
    cipher.setAAD(aad, { plaintextLength: 0 });
    return {
      update: (plaintext) => cipher.update(plaintext),
      final: () => {
        cipher.final();
        return cipher.getAuthTag();
      },
      destroy: () => undefined, // the library holds the key
    };
  },
  seal(key, nonce, aad, prefix, parts) {
    const stream = nativeAead.sealStream(key, nonce, aad);
    return Buffer.concat([prefix, ...parts.map((part) => stream.update(part)), stream.final()]);
  },
  open(key, nonce, aad, sealed) {
    const length = sealed.length - TAG_LENGTH;
    if (length < 0) throw authenticationFailure();
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(aad, { plaintextLength: length });
    decipher.setAuthTag(sealed.subarray(length));
    const plaintext = decipher.update(sealed.subarray(0, length));
    try {
      decipher.final();
    } catch (cause) {
      wipe(plaintext);
      throw authenticationFailure(cause);
    }
    return plaintext;
  },
};

const BLOCK = 64;
const ONE_TIME_KEY_LENGTH = 32;

/** RFC 8439 section 2.8 over the ChaCha20 and the Poly1305 of @noble/ciphers. */
export class PureAead implements Aead {
  /** Reused for short inputs of the MAC, none of which is secret. */
  readonly #scratch = new Uint8Array(4096);

  sealStream(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array): SealStream {
    return new PureSealStream(key, nonce, aad);
  }

  seal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, prefix: Uint8Array, parts: readonly Uint8Array[]) {
    const length = totalLength(parts);
    const work = new Uint8Array(BLOCK + length + TAG_LENGTH);
    let offset = BLOCK;
    for (const part of parts) {
      work.set(part, offset);
      offset += part.length;
    }
    // Block 0 of the key stream is the one-time key and the message starts at block 1, so one call computes both.
    const message = work.subarray(0, offset);
    chacha20(key, nonce, message, message, 0);
    work.set(this.#computeTag(work, aad, work.subarray(BLOCK, offset)), offset);
    work.fill(0, 0, BLOCK);
    work.set(prefix, BLOCK - prefix.length);
    return work.subarray(BLOCK - prefix.length);
  }

  open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array {
    const length = sealed.length - TAG_LENGTH;
    if (length < 0) throw authenticationFailure();
    const ciphertext = sealed.subarray(0, length);
    const work = new Uint8Array(BLOCK + length);
    work.set(ciphertext, BLOCK);
    chacha20(key, nonce, work, work, 0);
    const tag = this.#computeTag(work, aad, ciphertext);
    work.fill(0, 0, BLOCK);
    if (!constantTimeEqual(tag, sealed.subarray(length))) {
      wipe(work);
      throw authenticationFailure();
    }
    return work.subarray(BLOCK);
  }

  /** The tag of `aad || pad || ciphertext || pad || lengths` under the one-time key, the first bytes of `keyBlock`. */
  #computeTag(keyBlock: Uint8Array, aad: Uint8Array, ciphertext: Uint8Array): Uint8Array {
    const messageAt = padded(aad.length);
    const lengthsAt = messageAt + padded(ciphertext.length);
    const end = lengthsAt + LENGTHS;
    const input = end <= this.#scratch.length ? this.#scratch.subarray(0, end) : new Uint8Array(end);
    input.set(aad);
    input.fill(0, aad.length, messageAt);
    input.set(ciphertext, messageAt);
    input.fill(0, messageAt + ciphertext.length, end);
    writeLength(input, lengthsAt, aad.length);
    writeLength(input, lengthsAt + 8, ciphertext.length);
    return poly1305(input, keyBlock.subarray(0, ONE_TIME_KEY_LENGTH));
  }
}

const PADDING = new Uint8Array(16);
/** The lengths at the end of the MAC's input, each of 8 bytes. */
const LENGTHS = 16;

/** Writes a length below 4 GiB, which no message reaches, in little-endian order, into bytes that are zero. */
function writeLength(bytes: Uint8Array, at: number, length: number): void {
  bytes[at] = length;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length >>> 16;
  bytes[at + 3] = length >>> 24;
}

function padded(length: number): number {
  return (length + 15) & ~15;
}

function totalLength(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

class PureSealStream implements SealStream {
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #aadLength: number;
  readonly #mac: ReturnType<typeof poly1305.create>;
  #length = 0;

  constructor(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array) {
    this.#key = new Uint8Array(key); // not `slice`, which returns a view of a Buffer
    this.#nonce = new Uint8Array(nonce);
    this.#aadLength = aad.length;
    const oneTimeKey = chacha20(key, nonce, new Uint8Array(ONE_TIME_KEY_LENGTH), undefined, 0);
    this.#mac = poly1305.create(oneTimeKey);
    wipe(oneTimeKey);
    this.#mac.update(aad).update(PADDING.subarray(0, padded(aad.length) - aad.length));
  }

  update(plaintext: Uint8Array): Uint8Array {
    // If the part begins inside a block, the key stream is computed from the start of that block.
    const used = this.#length % BLOCK;
    const work = new Uint8Array(used + plaintext.length);
    work.set(plaintext, used);
    chacha20(this.#key, this.#nonce, work, work, 1 + (this.#length - used) / BLOCK);
    const ciphertext = work.subarray(used);
    this.#mac.update(ciphertext);
    this.#length += plaintext.length;
    return ciphertext;
  }

  final(): Uint8Array {
    const length = this.#length;
    const lengths = new Uint8Array(LENGTHS);
    writeLength(lengths, 0, this.#aadLength);
    writeLength(lengths, 8, length);
    this.#mac.update(PADDING.subarray(0, padded(length) - length)).update(lengths);
    const tag = this.#mac.digest();
    wipe(this.#key);
    return tag;
  }

  destroy(): void {
    this.#mac.destroy();
    wipe(this.#key);
  }
}

/**
 * Selects the faster implementation by the length of a message. Streams always use `native`, because short messages are
 * not streamed.
 * @param pureBelow the length from which `native` is faster, in bytes
 */
export function aeadBySize(native: Aead, pure: Aead, pureBelow: number): Aead {
  return {
    sealStream: (key, nonce, aad) => native.sealStream(key, nonce, aad),
    seal: (key, nonce, aad, prefix, parts) =>
      (totalLength(parts) < pureBelow ? pure : native).seal(key, nonce, aad, prefix, parts),
    open: (key, nonce, aad, sealed) => (sealed.length < pureBelow ? pure : native).open(key, nonce, aad, sealed),
  };
}

/** The length at which both implementations are equally fast, measured by `npm run bench` on Node 24. */
const PURE_BELOW = 2048;

/** The fastest choice for this runtime: by size if it has the cipher, else the pure implementation. */
export function bestAead(): Aead {
  const pure = new PureAead();
  return getCiphers().includes(CIPHER) ? aeadBySize(nativeAead, pure, PURE_BELOW) : pure;
}

function authenticationFailure(cause?: unknown): SessionError {
  return new SessionError('record_authentication', 'A record from the backend failed authentication', { cause });
}
