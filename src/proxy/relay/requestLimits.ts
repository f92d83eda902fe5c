/** Requests that are relayed at once; each costs a connection to the client and one to the backend. */
const MAX_REQUESTS = 256;
/** Bytes of request bodies that are kept at once, of all requests together: ten of the largest. */
const MAX_KEPT = 500 * 1024 * 1024;

/** What all requests together weigh, so that no program can make the proxy unusable for the others. */
export class RequestLimits {
  requests = 0;
  #kept = 0;

  /** True if no further request can be taken. */
  get full(): boolean {
    return this.requests >= MAX_REQUESTS;
  }

  /** Counts bytes that are kept from now on; false, and nothing counted, if they would be too many. */
  keep(bytes: number): boolean {
    if (this.#kept + bytes > MAX_KEPT) return false;
    this.#kept += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#kept -= bytes;
  }
}
