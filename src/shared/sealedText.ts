// Seals short texts of the proxy's own with AES-256-GCM, which every runtime has, Electron's included. The records of the
// transport have another cipher: see src/session/aead.ts.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { concatBytes } from './bytes.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Returns `nonce || ciphertext || tag`. The nonce is random.
 * @param key 32 bytes
 * @param aad authenticated with the text, and not part of the result
 */
export function sealText(key: Uint8Array, text: string, aad?: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, key, nonce);
  if (aad !== undefined) cipher.setAAD(aad);
  return concatBytes(nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag());
}

/** The text that was sealed with this key and additional data; undefined for anything else. */
export function openText(key: Uint8Array, sealed: Uint8Array, aad?: Uint8Array): string | undefined {
  if (sealed.length < NONCE_LENGTH + TAG_LENGTH) return undefined;
  const nonce = sealed.subarray(0, NONCE_LENGTH);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
  if (aad !== undefined) decipher.setAAD(aad);
  try {
    return decipher.update(sealed.subarray(NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
