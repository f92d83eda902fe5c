// Local access keys, which other programs use instead of the API key.
import { isCredential } from '../../session/envelope.ts';
import { accessKeyId } from '../../shared/accessKeys.ts';
import { PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import type { UpstreamKey } from '../relay/upstream.ts';
import type { KeyLimits } from './clientLimits.ts';
import { SecretSearch } from './secretSearch.ts';

const PREFIX = 'sealed-';
const LIKE_ACCESS_KEY = /^["']?sealed[-_]|sealed[-_][a-z0-9_-]{20}/i;

/** In a longer text, only the complete length makes an access key: names of programs begin like one too. */
const ACCESS_KEY_WITHIN = /sealed[-_][\w-]{43}/i;
/** Names of headers and parameters for keys: what looks like a part of an access key there is one. */
const FOR_KEYS = /key|token|auth|secret/i;

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

interface KeyRules {
  readonly clientNames?: ReadonlyMap<string, string> | undefined;
  readonly keyLimits?: ReadonlyMap<string, KeyLimits> | undefined;
  readonly only?: boolean;
}

export class AccessKeys {
  readonly #apiKey: string | null;
  /** The access keys without their prefix, which may be damaged. */
  readonly #secrets: SecretSearch;
  readonly #onUsed: ((id: string) => void) | undefined;
  readonly #clientNames: ReadonlyMap<string, string> | undefined;
  readonly #limits: ReadonlyMap<string, KeyLimits> | undefined;
  readonly #only: boolean;

  /**
   * @param onUsed is called with the id of an access key each time it resolves, but not for a check
   * @param rules `clientNames` and `keyLimits` by the ids of access keys; `only`: no other keys are accepted
   */
  constructor(
    apiKey: string | null,
    accessKeys: readonly string[],
    onUsed?: (id: string) => void,
    rules: KeyRules = {},
  ) {
    this.#apiKey = apiKey;
    this.#onUsed = onUsed;
    this.#clientNames = rules.clientNames;
    this.#limits = rules.keyLimits;
    this.#only = rules.only ?? false;
    this.#secrets = new SecretSearch(accessKeys.map((key) => key.slice(PREFIX.length)));
  }

  get isEmpty(): boolean {
    return this.#secrets.isEmpty;
  }

  /** What the log calls the client with the access key of this id. */
  nameOf(id: string): string {
    return this.#clientNames?.get(id) ?? id;
  }

  limitsOf(id: string): KeyLimits | undefined {
    return this.#limits?.get(id);
  }

  /** The key for the envelope of a request with this bearer token, or the error for one without a usable key. */
  resolve(bearer: string | undefined, isCheck = false): UpstreamKey | ClientError {
    if (bearer === undefined) return PROXY_ERRORS.noKey;
    if (!isCredential(bearer)) return PROXY_ERRORS.badKey;
    if (!this.#isLikeAccessKey(bearer))
      return this.#only ? PROXY_ERRORS.keyNotAllowed : { value: bearer, accessKeyId: null };
    if (this.#apiKey === null) return PROXY_ERRORS.noApiKey;
    if (!this.#isAccessKey(bearer)) return PROXY_ERRORS.unknownAccessKey;
    const id = accessKeyId(bearer);
    if (!isCheck) this.#onUsed?.(id);
    return { value: this.#apiKey, accessKeyId: id };
  }

  /** Whether a header or a parameter contains an access key, as such or percent-encoded: it must not be forwarded. */
  isIn(name: string, value: string): boolean {
    const text = `${name} ${value}`;
    if (ACCESS_KEY_WITHIN.test(decode(text)) || (FOR_KEYS.test(name) && this.#isLikeAccessKey(value))) return true;
    return this.#hasSecret(text);
  }

  /** Whether a text that a client has sent contains an access key or the API key: it must not be logged. */
  hasKey(text: string): boolean {
    return (this.#apiKey !== null && text.includes(this.#apiKey)) || this.#isLikeAccessKey(text);
  }

  #isAccessKey(text: string): boolean {
    return text.startsWith(PREFIX) && this.#secrets.has(text.slice(PREFIX.length));
  }

  /** True for an access key, also for one that was damaged in copying: the backend must not see any part of it. */
  #isLikeAccessKey(text: string): boolean {
    return LIKE_ACCESS_KEY.test(decode(text)) || this.#hasSecret(text);
  }

  #hasSecret(text: string): boolean {
    const decoded = decode(text);
    return this.#secrets.isIn(text) || (decoded !== text && this.#secrets.isIn(decoded));
  }
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
