// Seals the reasoning that clients keep and send back, so that the proxy stores nothing. What a client sends back was made for
// a request with the same API key, and the same access key if it came with one: whoever else may use the proxy cannot have it
// read. The key also depends on the root of the cache namespace, which the extension keeps: what was sealed stays readable
// when the proxy starts again.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { expandOnce, hkdfSha256 } from '../../session/hkdf.ts';
import { concatBytes, fromBase64, toBase64 } from '../../shared/bytes.ts';
import type { UpstreamKey } from '../relay/upstream.ts';

/** In every runtime, Electron's included. */
const CIPHER = 'aes-256-gcm';
const VERSION = Uint8Array.of(2);
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const START = VERSION.length + NONCE_LENGTH;
const KEY_LENGTH = 32;
const INFO = 'sealed-proxy reasoning';

/** The key for the requests with this key, 32 bytes. */
export function reasoningKey(cacheNamespaceRoot: Uint8Array, { value, accessKeyId }: UpstreamKey): Uint8Array {
  const prk = hkdfSha256.extract(cacheNamespaceRoot, encode(value));
  return expandOnce(hkdfSha256, prk, KEY_LENGTH, encode(`${INFO} ${accessKeyId ?? ''}`));
}

/** Base64 of `version || nonce || ciphertext || tag`. */
export function seal(key: Uint8Array, text: string): string {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(VERSION);
  const ciphertext = concatBytes(cipher.update(text, 'utf8'), cipher.final());
  return toBase64(concatBytes(VERSION, nonce, ciphertext, cipher.getAuthTag()));
}

/** The text that was sealed with this key; undefined for anything else. */
export function open(key: Uint8Array, sealed: string): string | undefined {
  const bytes = fromBase64(sealed);
  if (bytes === undefined || bytes.length < START + TAG_LENGTH || bytes[0] !== VERSION[0]) return undefined;
  try {
    const nonce = bytes.subarray(VERSION.length, START);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH }).setAAD(VERSION);
    decipher.setAuthTag(bytes.subarray(-TAG_LENGTH));
    return decipher.update(bytes.subarray(START, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined; // made by another proxy, or with another key
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
