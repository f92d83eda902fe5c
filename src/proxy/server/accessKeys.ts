// Local access keys: what other programs get instead of the upstream's key.
import { hash } from 'node:crypto';
import { accessKeyId } from '../../shared/accessKeys.ts';
import { constantTimeEqual } from '../../shared/bytes.ts';

const PREFIX = 'sealed-';
const SECRET_LENGTH = 43;
const LIKE_ACCESS_KEY = /^["']?sealed[-_]|sealed[-_][a-z0-9_-]{20}/i;

/** Whose key a request travels with, or why it does not travel. */
export type Credential =
  | {
      readonly kind: 'upstream-key';
      readonly value: string;
      /** Of the access key that was exchanged for it; null: the client has sent the value itself. */
      readonly accessKeyId: string | null;
    }
  | { readonly kind: 'unknown-access-key' }
  | { readonly kind: 'no-api-key' };

export interface KeyEvents {
  /** A client was served with the access key of this id. At most once a minute each. */
  accessKeyUsed?(id: string): void;
  /** A chat with the access key of this id was answered whole. */
  chatAnswered?(id: string): void;
}

const REPORT_INTERVAL = 60_000;

/** Passes each id on at most once a minute. It outlives the lists of keys: a report may well change the list. */
export function onceAMinute(report: (id: string) => void): (id: string) => void {
  const reported = new Map<string, number>();
  return (id) => {
    const now = performance.now();
    if (now - (reported.get(id) ?? -Infinity) < REPORT_INTERVAL) return;
    reported.set(id, now);
    report(id);
  };
}

export class AccessKeys {
  readonly #apiKey: string | null;
  readonly #digests: readonly Buffer[];
  readonly #onUsed: ((id: string) => void) | undefined;

  /** @param onUsed hears the id of an access key each time that it resolves */
  constructor(apiKey: string | null, accessKeys: readonly string[], onUsed?: (id: string) => void) {
    this.#apiKey = apiKey;
    this.#onUsed = onUsed;
    this.#digests = accessKeys.map(digest);
  }

  /** The key for the envelope of a request with this bearer token. */
  resolve(bearer: string): Credential {
    if (!this.#isMeantForUs(bearer)) return { kind: 'upstream-key', value: bearer, accessKeyId: null };
    if (this.#apiKey === null) return { kind: 'no-api-key' };
    if (!this.#includes(digest(bearer))) return { kind: 'unknown-access-key' };
    const id = accessKeyId(bearer);
    this.#onUsed?.(id);
    return { kind: 'upstream-key', value: this.#apiKey, accessKeyId: id };
  }

  /** An access key, or one that was damaged in copying: whole or in part, such a key is shown to nobody. */
  #isMeantForUs(bearer: string): boolean {
    return LIKE_ACCESS_KEY.test(bearer) || (bearer.length === SECRET_LENGTH && this.#includes(digest(PREFIX + bearer)));
  }

  /** Compares with every key, in a time that depends on their number alone. */
  #includes(sought: Buffer): boolean {
    let found = false;
    for (const known of this.#digests) found = constantTimeEqual(known, sought) || found;
    return found;
  }
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
