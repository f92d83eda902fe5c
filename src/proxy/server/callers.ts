// Who shares the limits: each access key is a caller of its own. What comes without one cannot be told apart, because
// anyone can make up any number of API keys.
import { DIRECT, UNKNOWN } from '../../shared/usage.ts';
import type { CallerPath } from '../relay/requestLimits.ts';
import { digestOf } from '../relay/upstream.ts';
import type { UpstreamKey } from '../relay/upstream.ts';

/** API keys that are remembered; more than one computer uses. */
const MAX_ACCEPTED = 64;

export class Callers {
  /** The digests of the API keys that the backend has accepted from clients. The latest one is the last. */
  readonly #accepted = new Set<string>();

  /**
   * The caller of a request with this key. All requests without an access key form one group, if there are access keys
   * to protect from them.
   */
  pathOf({ value, accessKeyId }: UpstreamKey, hasAccessKeys: boolean): CallerPath {
    if (accessKeyId !== null) return [accessKeyId];
    const digest = digestOf(value);
    const caller = this.#accepted.has(digest) ? digest : UNKNOWN;
    return hasAccessKeys ? [DIRECT, caller] : [caller];
  }

  /** The backend has accepted this key: if it is a client's own API key, it is a caller of its own from now on. */
  accept({ value, accessKeyId }: UpstreamKey): void {
    if (accessKeyId !== null) return;
    const digest = digestOf(value);
    this.#accepted.delete(digest);
    this.#accepted.add(digest);
    const [oldest] = this.#accepted;
    if (this.#accepted.size > MAX_ACCEPTED && oldest !== undefined) this.#accepted.delete(oldest);
  }
}
