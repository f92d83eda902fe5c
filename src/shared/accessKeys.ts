// The form of an access key, which a local client uses in place of the API key, and the id that names it.
import { hash, randomBytes } from 'node:crypto';

/** Base64url of 32 bytes. */
const FORM = 'sealed-[A-Za-z0-9_-]{43}';
const ACCESS_KEY = new RegExp(`^${FORM}$`);
/** Matches every access key in a text. */
export const ACCESS_KEYS = new RegExp(FORM, 'g');

/** True if `value` has the form of an access key, whether the key is valid or not. */
export function isAccessKey(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_KEY.test(value);
}

/** A new access key, from 32 random bytes. */
export function createAccessKey(): string {
  return `sealed-${randomBytes(32).toString('base64url')}`;
}

/** The first 16 hex digits of the key's SHA-256: names a key without revealing it. */
export function accessKeyId(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 16);
}
