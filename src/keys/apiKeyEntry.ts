// The API key as it is stored: with a random generation. Removing or replacing the key revokes its generation on this
// computer, not its value, which the user may set again on another computer that shares the secret storage.
import { createHash, randomBytes } from 'node:crypto';
import { fieldsOf, parseJson } from '../shared/json.ts';

export interface ApiKeyEntry {
  readonly key: string;
  /** 16 hex digits. */
  readonly generation: string;
}

const GENERATION = /^[0-9a-f]{16}$/;

export function makeApiKeyEntry(key: string): ApiKeyEntry {
  return { key, generation: randomBytes(8).toString('hex') };
}

/** Undefined if the text is damaged. */
export function parseApiKeyEntry(json: string): ApiKeyEntry | undefined {
  const { key, generation } = fieldsOf(parseJson(json));
  if (typeof key !== 'string' || typeof generation !== 'string' || !GENERATION.test(generation)) return undefined;
  return { key, generation };
}

/** The entry of versions up to 0.4, which is the key alone. They revoked a hash of its value. */
export function legacyApiKeyEntry(key: string): ApiKeyEntry {
  const digest = createHash('sha256').update('sealed-proxy/api-key\0').update(key).digest('hex');
  return { key, generation: digest.slice(0, 16) };
}
