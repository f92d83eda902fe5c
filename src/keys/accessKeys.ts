// The list of access keys as data, and the names that clients may have. Stores nothing: see secrets.ts.
import { accessKeyId, createAccessKey, isAccessKey } from '../shared/accessKeys.ts';
import { asObject } from '../shared/json.ts';

/**
 * What a key was made for: a user, who has seen it; a client that the user allowed; an assistant that was connected;
 * terminals; or the extension itself.
 */
const ORIGINS = ['user', 'client', 'assistant', 'terminal', 'own'] as const;
export type KeyOrigin = (typeof ORIGINS)[number];

/** A key for one local program. */
export interface AccessKey {
  /** See `accessKeyId()`. */
  readonly id: string;
  /** The program that uses it, as the user named it. */
  readonly name: string;
  readonly origin: KeyOrigin;
  /** `sealed-` and 43 characters of Base64url. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Null also for a key that was first used before this was recorded. */
  readonly firstUsedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** The name of the key that the extension's own requests use. It is not listed among the others. */
export const OWN_KEY_NAME = 'Sealed Proxy';
export const TERMINAL_NAME = 'Terminal';

/** Visible characters of any script, without Markdown marks and the editor's icon syntax. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Pd} .,:_/@'’&()+]{1,64}$/u;
/** Invisible characters, and accents piled up. */
const DECEPTIVE = /\p{Default_Ignorable_Code_Point}|\p{M}{3}/u;

/** A new key. `now` is in milliseconds since 1970. */
export function makeAccessKey(name: string, origin: KeyOrigin, now: number): AccessKey {
  const key = createAccessKey();
  return { id: accessKeyId(key), name, origin, key, createdAt: now, firstUsedAt: null, lastUsedAt: null };
}

/**
 * The key in a stored entry, or undefined if the entry is damaged: the proxy refuses all keys if one is malformed.
 * @param json the entry, `AccessKey` without its uses
 * @param uses milliseconds since 1970, as text
 */
export function parseAccessKey(
  json: string | undefined,
  uses: { readonly first: string | undefined; readonly last: string | undefined },
): AccessKey | undefined {
  try {
    const { id, name, origin: stored, key, createdAt } = asObject(JSON.parse(json ?? '')) ?? {};
    const origin = ORIGINS.find((known) => known === stored);
    if (typeof id !== 'string' || typeof name !== 'string' || typeof createdAt !== 'number') return undefined;
    if (!isAccessKey(key) || accessKeyId(key) !== id) return undefined;
    if (origin === undefined) return undefined;
    return { id, name, origin, key, createdAt, firstUsedAt: parseTime(uses.first), lastUsedAt: parseTime(uses.last) };
  } catch {
    return undefined;
  }
}

function parseTime(text = ''): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** Sorts by age, oldest first, so that two windows that create the same key at once both choose the same one. */
export function oldestFirst<Key extends AccessKey>(keys: readonly Key[]): readonly Key[] {
  return keys.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/** The keys that the user made or allowed. */
export function visibleKeys(keys: readonly AccessKey[]): readonly AccessKey[] {
  return keys.filter(({ origin }) => origin !== 'own');
}

/** True if a user or a program may give this name to its key. The names that the extension uses itself are reserved. */
export function isClientName(name: string): boolean {
  if (!NAME.test(name) || DECEPTIVE.test(name) || name !== name.trim()) return false;
  if (name.split(/[^\p{L}\p{M}]+/u).some(mixesScripts)) return false;
  return ![OWN_KEY_NAME, TERMINAL_NAME].some((reserved) => isSameName(name, reserved));
}

/** True if a reader would take both names for the same: case, width, dashes and spaces are ignored. */
export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]+/gu, ' ');
}

/** True for a word with letters of several scripts that look alike. */
function mixesScripts(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}
