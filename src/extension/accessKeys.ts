// src/extension is the part that runs in the editor. This file is pure: the list of access keys as data.
import { createHash, randomBytes } from 'node:crypto';

/** A key for one local program. */
export interface AccessKey {
  /** The first 16 hex digits of the key's SHA-256: names it without telling it. */
  readonly id: string;
  /** Who uses it, in the person's words. */
  readonly name: string;
  /** `sealed-` and 43 characters of Base64url. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** The key by which the extension itself asks the proxy. It is not shown among the others. */
export const OWN_KEY_NAME = 'Sealed Proxy';

/** One that is not of this form would have the proxy refuse all of them. */
const ACCESS_KEY = /^sealed-[A-Za-z0-9_-]{43}$/;

/** A fresh key from 32 random bytes. */
export function makeAccessKey(name: string, now: number): AccessKey {
  const key = `sealed-${randomBytes(32).toString('base64url')}`;
  return { id: idOf(key), name, key, createdAt: now, lastUsedAt: null };
}

/** The key that was stored, or undefined for what is not of its form. */
export function parseAccessKey(json: string | undefined, lastUsed: string | undefined): AccessKey | undefined {
  try {
    const { id, name, key, createdAt } = JSON.parse(json ?? '') as Partial<Record<keyof AccessKey, unknown>>;
    if (typeof id !== 'string' || typeof name !== 'string' || typeof createdAt !== 'number') return undefined;
    if (typeof key !== 'string' || !ACCESS_KEY.test(key) || idOf(key) !== id) return undefined;
    return { id, name, key, createdAt, lastUsedAt: /^\d+$/.test(lastUsed ?? '') ? Number(lastUsed) : null };
  } catch {
    return undefined;
  }
}

/** The oldest first: two windows that made a key of one name at once both take the same. */
export function inOrder(keys: readonly AccessKey[]): readonly AccessKey[] {
  return keys.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/** Those that a person made or agreed to. */
export function visibleKeys(keys: readonly AccessKey[]): readonly AccessKey[] {
  return keys.filter(({ name }) => name !== OWN_KEY_NAME);
}

/** What a person or program may call its key; the extension's own name is nobody else's. */
export function isClientName(name: string): boolean {
  return name !== '' && name.length <= 64 && name === name.trim() && !/\p{C}/u.test(name) && name !== OWN_KEY_NAME;
}

function idOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
