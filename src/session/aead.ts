// ChaCha20-Poly1305 (RFC 8439), in two implementations of one interface: OpenSSL's is here, the other one in wasmAead.ts.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { wipe } from '../shared/bytes.ts';
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

export const CIPHER = 'chacha20-poly1305';

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

export function authenticationFailure(cause?: unknown): SessionError {
  return new SessionError('record_authentication', 'A record from the backend failed authentication', { cause });
}
