// src/shared imports nothing outside itself, except the Node runtime.
import { timingSafeEqual } from 'node:crypto';

/** A read-only view of `bytes` as a Buffer: no copy, same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Lower-case hex, two characters for each byte. */
export function toHex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex');
}

/** Padded Base64 in the standard alphabet (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64');
}

/**
 * The bytes of a canonical Base64 text (RFC 4648 section 4: standard alphabet, padded, unused bits zero), or undefined
 * for anything else. Node's decoder ignores invalid characters, so the result is encoded again and compared. A regular
 * expression in its place fails for texts of megabytes.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}

/** Compares two byte strings in a time that depends only on their lengths. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** All `parts` in order, in new memory. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Overwrites secrets with zeros. Copies that the engine or libraries have made remain. */
export function wipe(...secrets: readonly Uint8Array[]): void {
  for (const secret of secrets) secret.fill(0);
}
