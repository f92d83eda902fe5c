// Local access keys: what other programs get instead of the upstream's key.
import { hash } from 'node:crypto';
import { constantTimeEqual } from '../shared/bytes.ts';

const PREFIX = 'sealed-';
const ACCESS_KEY = /^sealed-[A-Za-z0-9_-]{43}$/;

const SECRET_LENGTH = 43;
const LIKE_ACCESS_KEY = /^["']?sealed[-_]|sealed[-_][a-z0-9_-]{20}/i;

/** True for the form of an access key: `sealed-` and the Base64url of 32 bytes. */
export function isAccessKey(text: string): boolean {
  return ACCESS_KEY.test(text);
}

/** Whose key a request travels with, or why it does not travel. */
export type Credential =
  | { readonly kind: 'upstream-key'; readonly value: string }
  | { readonly kind: 'unknown-access-key' }
  | { readonly kind: 'no-api-key' };

export class AccessKeys {
  readonly #apiKey: string | null;
  readonly #digests: readonly Buffer[];

  constructor(apiKey: string | null, accessKeys: readonly string[]) {
    this.#apiKey = apiKey;
    this.#digests = accessKeys.map(digest);
  }

  /** The key for the envelope of a request with this bearer token. */
  resolve(bearer: string): Credential {
    if (!this.#isMeantForUs(bearer)) return { kind: 'upstream-key', value: bearer };
    if (this.#apiKey === null) return { kind: 'no-api-key' };
    return this.#includes(bearer) ? { kind: 'upstream-key', value: this.#apiKey } : { kind: 'unknown-access-key' };
  }

  /** An access key, or one that was damaged in copying: whole or in part, such a key is shown to nobody. */
  #isMeantForUs(bearer: string): boolean {
    return LIKE_ACCESS_KEY.test(bearer) || (bearer.length === SECRET_LENGTH && this.#includes(PREFIX + bearer));
  }

  /** Compares with every key, in a time that depends on their number alone. */
  #includes(key: string): boolean {
    const sought = digest(key);
    let found = false;
    for (const known of this.#digests) found = constantTimeEqual(known, sought) || found;
    return found;
  }
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
