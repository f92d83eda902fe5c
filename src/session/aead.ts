// ChaCha20-Poly1305 (RFC 8439), twice behind one interface. BoringSSL, and with it Electron, has no
// `chacha20-poly1305` cipher; and each call into Node's own costs so much that small records are faster without it.
import { createCipheriv, createDecipheriv, getCiphers } from 'node:crypto';
import { chacha20 } from '@noble/ciphers/chacha.js';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { constantTimeEqual, wipe } from '../shared/bytes.ts';
import { SessionError } from './errors.ts';
import { TAG_LENGTH } from './wire.ts';

/** Encrypts one message piece by piece: the pieces' ciphertexts have their plaintexts' lengths, the tag comes last. */
export interface SealStream {
  /** The ciphertext of the next piece, in fresh memory. */
  update(plaintext: Uint8Array): Uint8Array;
  /** The 16-byte tag. The stream is spent. */
  final(): Uint8Array;
  /** Given up before its end: what it holds of the key is overwritten. */
  destroy(): void;
}

/** Keys are 32 bytes, nonces 12, tags 16. No method keeps or changes its arguments. */
export interface Aead {
  readonly name: 'native' | 'pure' | 'auto';
  sealStream(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array): SealStream;
  /**
   * `prefix || ciphertext || tag`, in fresh memory.
   * @param prefix at most 32 bytes that go in front as they are
   * @param parts the plaintext, in pieces one behind the other
   */
  seal(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    prefix: Uint8Array,
    parts: readonly Uint8Array[],
  ): Uint8Array;
  /**
   * The plaintext of `ciphertext || tag`, in fresh memory.
   * @throws SessionError `record_authentication`
   */
  open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array;
}

const CIPHER = 'chacha20-poly1305';

/** OpenSSL, through `node:crypto`. */
export const nativeAead: Aead = {
  name: 'native',
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
    if (length < 0) throw unauthentic();
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(aad, { plaintextLength: length });
    decipher.setAuthTag(sealed.subarray(length));
    const plaintext = decipher.update(sealed.subarray(0, length));
    try {
      decipher.final();
    } catch (cause) {
      wipe(plaintext);
      throw unauthentic(cause);
    }
    return plaintext;
  },
};

const BLOCK = 64;
const ONE_TIME_KEY_LENGTH = 32;

/** RFC 8439 section 2.8 over the ChaCha20 and the Poly1305 of @noble/ciphers. */
export const pureAead: Aead = {
  name: 'pure',
  sealStream: (key, nonce, aad) => new PureSealStream(key, nonce, aad),
  seal(key, nonce, aad, prefix, parts) {
    const length = totalLength(parts);
    const work = new Uint8Array(BLOCK + length + TAG_LENGTH);
    let offset = BLOCK;
    for (const part of parts) {
      work.set(part, offset);
      offset += part.length;
    }
    // Block 0 of the key stream is the one-time key, the message starts at block 1: one call makes both.
    const message = work.subarray(0, offset);
    chacha20(key, nonce, message, message, 0);
    work.set(computeTag(work, aad, work.subarray(BLOCK, offset)), offset);
    work.fill(0, 0, BLOCK);
    work.set(prefix, BLOCK - prefix.length);
    return work.subarray(BLOCK - prefix.length);
  },
  open(key, nonce, aad, sealed) {
    const length = sealed.length - TAG_LENGTH;
    if (length < 0) throw unauthentic();
    const ciphertext = sealed.subarray(0, length);
    const work = new Uint8Array(BLOCK + length);
    work.set(ciphertext, BLOCK);
    chacha20(key, nonce, work, work, 0);
    const tag = computeTag(work, aad, ciphertext);
    work.fill(0, 0, BLOCK);
    if (!constantTimeEqual(tag, sealed.subarray(length))) {
      wipe(work);
      throw unauthentic();
    }
    return work.subarray(BLOCK);
  },
};

const PADDING = new Uint8Array(16);
/** Short inputs of the MAC are laid out here: nothing of them is secret, and nothing outlives the call. */
const macScratch = new Uint8Array(4096);
const macLengths = new DataView(new ArrayBuffer(16));
const macLengthBytes = new Uint8Array(macLengths.buffer);

/** The tag over `aad || pad || ciphertext || pad || lengths`, under the one-time key in the first bytes of `keyBlock`. */
function computeTag(keyBlock: Uint8Array, aad: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const messageAt = padded(aad.length);
  const lengthsAt = messageAt + padded(ciphertext.length);
  const end = lengthsAt + 16;
  const input = end <= macScratch.length ? macScratch.subarray(0, end) : new Uint8Array(end);
  input.set(aad);
  input.fill(0, aad.length, messageAt);
  input.set(ciphertext, messageAt);
  input.fill(0, messageAt + ciphertext.length, lengthsAt);
  input.set(encodeMacLengths(aad.length, ciphertext.length), lengthsAt);
  return poly1305(input, keyBlock.subarray(0, ONE_TIME_KEY_LENGTH));
}

/** Both lengths as little-endian uint64, in memory that the next call reuses. No message here reaches 4 GiB. */
function encodeMacLengths(aadLength: number, length: number): Uint8Array {
  macLengths.setUint32(0, aadLength, true);
  macLengths.setUint32(8, length, true);
  return macLengthBytes;
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
    this.#key = new Uint8Array(key); // not `slice`, which of a Buffer is a view
    this.#nonce = new Uint8Array(nonce);
    this.#aadLength = aad.length;
    const oneTimeKey = chacha20(key, nonce, new Uint8Array(ONE_TIME_KEY_LENGTH), undefined, 0);
    this.#mac = poly1305.create(oneTimeKey);
    wipe(oneTimeKey);
    this.#mac.update(aad).update(PADDING.subarray(0, padded(aad.length) - aad.length));
  }

  update(plaintext: Uint8Array): Uint8Array {
    // A piece may begin inside a block: the bytes of the block that are spent are made again and dropped.
    const spent = this.#length % BLOCK;
    const work = new Uint8Array(spent + plaintext.length);
    work.set(plaintext, spent);
    chacha20(this.#key, this.#nonce, work, work, 1 + (this.#length - spent) / BLOCK);
    const ciphertext = work.subarray(spent);
    this.#mac.update(ciphertext);
    this.#length += plaintext.length;
    return ciphertext;
  }

  final(): Uint8Array {
    const length = this.#length;
    this.#mac.update(PADDING.subarray(0, padded(length) - length)).update(encodeMacLengths(this.#aadLength, length));
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
 * The faster of the two for each message of known length. A stream, whose length is not known when it begins, is long:
 * short messages are sealed as one piece.
 * @param pureBelow the ciphertext length from which on `native` is the faster one, in bytes
 */
export function aeadBySize(native: Aead, pure: Aead, pureBelow: number): Aead {
  return {
    name: 'auto',
    sealStream: (key, nonce, aad) => native.sealStream(key, nonce, aad),
    seal: (key, nonce, aad, prefix, parts) =>
      (totalLength(parts) < pureBelow ? pure : native).seal(key, nonce, aad, prefix, parts),
    open: (key, nonce, aad, sealed) => (sealed.length < pureBelow ? pure : native).open(key, nonce, aad, sealed),
  };
}

/** Measured by `npm run bench` on Node 24: where the costs of the two implementations cross. */
const PURE_BELOW = 2048;

/** What this runtime does best: both by size where it has the cipher, else the pure one alone. */
export function bestAead(): Aead {
  return getCiphers().includes(CIPHER) ? aeadBySize(nativeAead, pureAead, PURE_BELOW) : pureAead;
}

function unauthentic(cause?: unknown): SessionError {
  return new SessionError('record_authentication', 'A record from the backend failed its authentication', { cause });
}
