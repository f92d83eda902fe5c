/** Requests that may be relayed at once; each uses one connection to the client and one to the backend. */
const MAX_REQUESTS = 256;
/** Bytes of request bodies that all requests together may keep: ten bodies of the largest size. */
const MAX_KEPT = 500 * 1024 * 1024;

/** The limits on all requests together, so that no client can make the proxy unusable for the others. */
export class RequestLimits {
  requests = 0;
  #kept = 0;

  /** True if the proxy cannot take another request. */
  get full(): boolean {
    return this.requests >= MAX_REQUESTS;
  }

  /** Reserves room for this many bytes; returns false, and reserves nothing, if that would exceed the limit. */
  keep(bytes: number): boolean {
    if (this.#kept + bytes > MAX_KEPT) return false;
    this.#kept += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#kept -= bytes;
  }
}
