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

export function markUsed(keys: readonly AccessKey[], id: string, now: number): readonly AccessKey[] {
  return keys.map((key) => (key.id === id ? { ...key, lastUsedAt: now } : key));
}

export function withoutKey(keys: readonly AccessKey[], id: string): readonly AccessKey[] {
  return keys.filter((key) => key.id !== id);
}

/** Those that a person made or agreed to. */
export function visibleKeys(keys: readonly AccessKey[]): readonly AccessKey[] {
  return keys.filter(({ name }) => name !== OWN_KEY_NAME);
}

function isAccessKey(value: unknown): value is AccessKey {
  const { id, name, key, createdAt } = (value ?? {}) as Partial<Record<keyof AccessKey, unknown>>;
  return typeof id === 'string' && typeof name === 'string' && typeof key === 'string' && typeof createdAt === 'number';
}
