// Local access keys: what other programs get instead of the upstream's key.
import { hash } from 'node:crypto';
import { constantTimeEqual } from '../shared/bytes.ts';

const PREFIX = 'sealed-';
const ACCESS_KEY = /^sealed-[A-Za-z0-9_-]{43}$/;

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

  /**
   * The key for the envelope of a request with this bearer token. Whatever begins like an access key never leaves this
   * computer, so that a mistyped one is not shown to anyone.
   */
  resolve(bearer: string): Credential {
    if (!bearer.startsWith(PREFIX)) return { kind: 'upstream-key', value: bearer };
    if (this.#apiKey === null) return { kind: 'no-api-key' };
    return this.#includes(bearer) ? { kind: 'upstream-key', value: this.#apiKey } : { kind: 'unknown-access-key' };
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
