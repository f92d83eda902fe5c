// Local access keys, which other programs use instead of the API key.
import { hash } from 'node:crypto';
import { isCredential } from '../../session/envelope.ts';
import { accessKeyId } from '../../shared/accessKeys.ts';
import { constantTimeEqual } from '../../shared/bytes.ts';
import { PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';

const PREFIX = 'sealed-';
const SECRET_LENGTH = 43;
const LIKE_ACCESS_KEY = /^["']?sealed[-_]|sealed[-_][a-z0-9_-]{20}/i;

/** The API key that a request is sent with. */
export interface UpstreamKey {
  readonly value: string;
  /** The access key that the client sent instead; null if the client sent the API key itself. */
  readonly accessKeyId: string | null;
}

/** In milliseconds. */
const REPORT_INTERVAL = 60_000;

/** Reports each id at most once a minute. One function serves all lists of keys, because a report may change the list. */
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

  /** @param onUsed is called with the id of an access key each time it resolves */
  constructor(apiKey: string | null, accessKeys: readonly string[], onUsed?: (id: string) => void) {
    this.#apiKey = apiKey;
    this.#onUsed = onUsed;
    this.#digests = accessKeys.map(digest);
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /** The key for the envelope of a request with this bearer token, or the error for one without a usable key. */
  resolve(bearer: string | undefined): UpstreamKey | ProxyError {
    if (bearer === undefined) return PROXY_ERRORS.noKey;
    if (!isCredential(bearer)) return PROXY_ERRORS.badKey;
    if (!this.#isLikeAccessKey(bearer)) return { value: bearer, accessKeyId: null };
    if (this.#apiKey === null) return PROXY_ERRORS.noApiKey;
    if (!this.#includes(digest(bearer))) return PROXY_ERRORS.unknownAccessKey;
    const id = accessKeyId(bearer);
    this.#onUsed?.(id);
    return { value: this.#apiKey, accessKeyId: id };
  }

  /** True for an access key, also for one that was damaged in copying: the backend must not see any part of it. */
  #isLikeAccessKey(bearer: string): boolean {
    return LIKE_ACCESS_KEY.test(bearer) || (bearer.length === SECRET_LENGTH && this.#includes(digest(PREFIX + bearer)));
  }

  /** Compares with every key, in a time that depends only on the number of keys. */
  #includes(sought: Buffer): boolean {
    let found = false;
    for (const known of this.#digests) found = constantTimeEqual(known, sought) || found;
    return found;
  }
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
