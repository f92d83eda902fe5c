// The limits on all requests together, and how callers share them.

/** Requests that may be relayed at once; each uses one connection to the client and one to the backend. */
const MAX_REQUESTS = 256;

/** The name of a request's caller; if the caller belongs to a group, the group's name comes before it. */
export type CallerPath = readonly string[];

/**
 * A caller may hold only as much as it leaves for others: alone, half of everything; besides one that holds its half, a
 * quarter; and so on. So whatever one caller or one group does, there is room for another one.
 */
export class RequestLimits {
  readonly #requests = new SharedLimit(MAX_REQUESTS);
  readonly #kept: SharedLimit;

  /** @param maxKept bytes of request bodies that all requests together may keep */
  constructor(maxKept: number) {
    this.#kept = new SharedLimit(maxKept);
  }

  /**
   * Takes a place for a request; returns undefined if its caller cannot have another one now.
   * @param onEnd is called when the request gives its place back
   */
  admit(caller: CallerPath, onEnd?: () => void): Place | undefined {
    if (!this.#requests.take(caller, 1)) return undefined;
    return new Place(caller, this.#requests, this.#kept, onEnd);
  }

  /** What all requests together hold now. */
  get held(): { readonly requests: number; readonly bytes: number } {
    return { requests: this.#requests.taken, bytes: this.#kept.taken };
  }
}

/** What one request holds of the limits. */
export class Place {
  readonly #caller: CallerPath;
  readonly #requests: SharedLimit;
  readonly #bytes: SharedLimit;
  readonly #onEnd: (() => void) | undefined;
  #kept = 0;

  constructor(caller: CallerPath, requests: SharedLimit, bytes: SharedLimit, onEnd?: () => void) {
    this.#caller = caller;
    this.#requests = requests;
    this.#bytes = bytes;
    this.#onEnd = onEnd;
  }

  /** Reserves room for this many bytes of the body; returns false, and reserves nothing, if the caller has no room. */
  keep(bytes: number): boolean {
    if (!this.#bytes.take(this.#caller, bytes)) return false;
    this.#kept += bytes;
    return true;
  }

  /** The body is not kept any longer. */
  releaseBody(): void {
    this.#bytes.release(this.#caller, this.#kept);
    this.#kept = 0;
  }

  /** Gives everything back; to be called once. */
  end(): void {
    this.releaseBody();
    this.#requests.release(this.#caller, 1);
    this.#onEnd?.();
  }
}

class SharedLimit {
  readonly #limit: number;
  readonly #takenBy = new Map<string, number>();
  taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes this amount for a caller, or nothing if the caller, or its group, would hold more than it leaves for others. */
  take(caller: CallerPath, amount: number): boolean {
    let room = this.#limit - this.taken;
    for (const name of caller) {
      const held = this.#takenBy.get(name) ?? 0;
      if (held + amount > room) return false;
      room -= held;
    }
    this.#add(caller, amount);
    return true;
  }

  release(caller: CallerPath, amount: number): void {
    this.#add(caller, -amount);
  }

  #add(caller: CallerPath, amount: number): void {
    this.taken += amount;
    for (const name of caller) {
      const held = (this.#takenBy.get(name) ?? 0) + amount;
      if (held === 0) this.#takenBy.delete(name);
      else this.#takenBy.set(name, held);
    }
  }
}
