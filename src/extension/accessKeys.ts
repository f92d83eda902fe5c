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
  const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return { id, name, key, createdAt: now, lastUsedAt: null };
}

/** The stored list; what is not of its form is left out. */
export function parseAccessKeys(json: string | undefined): readonly AccessKey[] {
  if (json === undefined) return [];
  try {
    const list = JSON.parse(json) as unknown;
    return Array.isArray(list) ? list.filter(isAccessKey) : [];
  } catch {
    return [];
  }
}

/** The same list if there is nothing to note: that the extension itself asks is no news. */
export function markUsed(keys: readonly AccessKey[], id: string, now: number): readonly AccessKey[] {
  if (!visibleKeys(keys).some((key) => key.id === id)) return keys;
  return keys.map((key) => (key.id === id ? { ...key, lastUsedAt: now } : key));
}

export function withoutKey(keys: readonly AccessKey[], id: string): readonly AccessKey[] {
  return keys.filter((key) => key.id !== id);
}

/** Those that a person made or agreed to. */
export function visibleKeys(keys: readonly AccessKey[]): readonly AccessKey[] {
  return keys.filter(({ name }) => name !== OWN_KEY_NAME);
}

/** What a person or program may call its key; the extension's own name is nobody else's. */
export function isClientName(name: string): boolean {
  return name !== '' && name.length <= 64 && name === name.trim() && !/\p{C}/u.test(name) && name !== OWN_KEY_NAME;
}

function isAccessKey(value: unknown): value is AccessKey {
  const { id, name, key, createdAt, lastUsedAt } = (value ?? {}) as Partial<Record<keyof AccessKey, unknown>>;
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    typeof key === 'string' &&
    ACCESS_KEY.test(key) &&
    typeof createdAt === 'number' &&
    (typeof lastUsedAt === 'number' || lastUsedAt === null)
  );
}
