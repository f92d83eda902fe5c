// src/extension is the part that runs in the editor. This file is pure: the list of access keys as data.
import { createHash, randomBytes } from 'node:crypto';

/**
 * For whom it was made: a person, who has seen it; a client that the person agreed to; an assistant that was connected;
 * terminals; or the extension.
 */
export type KeyOrigin = 'person' | 'client' | 'assistant' | 'terminal' | 'own';

/** A key for one local program. */
export interface AccessKey {
  /** The first 16 hex digits of the key's SHA-256: names it without telling it. */
  readonly id: string;
  /** Who uses it, in the person's words. */
  readonly name: string;
  readonly origin: KeyOrigin;
  /** `sealed-` and 43 characters of Base64url. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** The key by which the extension itself asks the proxy. It is not shown among the others. */
export const OWN_KEY_NAME = 'Sealed Proxy';
export const TERMINAL_NAME = 'Terminal';

const ORIGINS: readonly unknown[] = ['person', 'client', 'assistant', 'terminal', 'own'] satisfies KeyOrigin[];
/** What shows itself, in any script. No marks of Markdown, and none of the editor's icons. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Pd} .,:_/@'’&()+]{1,64}$/u;
/** What cannot be seen, and heaps of accents. */
const DECEPTIVE = /\p{Default_Ignorable_Code_Point}|\p{M}{3}/u;

/** One that is not of this form would have the proxy refuse all of them. */
const FORM = 'sealed-[A-Za-z0-9_-]{43}';
const ACCESS_KEY = new RegExp(`^${FORM}$`);
/** Every one in a text. */
export const ACCESS_KEYS = new RegExp(FORM, 'g');

/** One of ours, though it may not count any more. */
export function isAccessKey(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_KEY.test(value);
}

/** A fresh key from 32 random bytes. */
export function makeAccessKey(name: string, origin: KeyOrigin, now: number): AccessKey {
  const key = `sealed-${randomBytes(32).toString('base64url')}`;
  return { id: accessKeyId(key), name, origin, key, createdAt: now, lastUsedAt: null };
}

/** The key that was stored, or undefined for what is not of its form. */
export function parseAccessKey(json: string | undefined, lastUsed: string | undefined): AccessKey | undefined {
  try {
    const { id, name, origin, key, createdAt } = JSON.parse(json ?? '') as Partial<Record<keyof AccessKey, unknown>>;
    if (typeof id !== 'string' || typeof name !== 'string' || typeof createdAt !== 'number') return undefined;
    if (!isAccessKey(key) || accessKeyId(key) !== id) return undefined;
    if (!isOrigin(origin)) return undefined;
    return { id, name, origin, key, createdAt, lastUsedAt: /^\d+$/.test(lastUsed ?? '') ? Number(lastUsed) : null };
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
  return keys.filter(({ origin }) => origin !== 'own');
}

/** What a person or program may call its key; the extension's own names are nobody else's. */
export function isClientName(name: string): boolean {
  if (!NAME.test(name) || DECEPTIVE.test(name) || name !== name.trim()) return false;
  if (name.split(/[^\p{L}\p{M}]+/u).some(isMixed)) return false;
  return ![OWN_KEY_NAME, TERMINAL_NAME].some((reserved) => isSameName(name, reserved));
}

/** To a person's eye. */
export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]+/gu, ' ');
}

/** A word of letters that look alike in two scripts. */
function isMixed(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}

function isOrigin(value: unknown): value is KeyOrigin {
  return ORIGINS.includes(value);
}

/** Names a key and tells nothing of it. */
export function accessKeyId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
