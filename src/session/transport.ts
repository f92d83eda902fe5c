// What this layer needs of a network. The proxy implements it with real sockets.

/** One HTTP request to the backend. It is sent once, never repeated, and redirects are not followed. */
export interface UpstreamRequest {
  readonly method: 'POST';
  /** An absolute path without query. */
  readonly path: string;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  /** Whole, or in pieces that are drawn as fast as the connection takes them. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The status line and header fields of a response. */
export interface UpstreamHead {
  readonly status: number;
  /** The value of every field line with this lower-case name, in order. */
  values(name: string): readonly string[];
}

/**
 * Hears of one response. The calls come in this order: `onHead`, any number of `onData`, then `onEnd`; or `onError` at
 * any time, after which nothing comes. After `cancel` no call comes but perhaps `onError`.
 */
export interface UpstreamHandler {
  onHead(head: UpstreamHead): void;
  /** The handler may keep views of the bytes. */
  onData(piece: Uint8Array): void;
  /** The response is complete as HTTP counts it. */
  onEnd(): void;
  onError(error: unknown): void;
}

/** One request under way. */
export interface UpstreamCall {
  /** Ends the request and its connection at once. May be called at any time, also again. */
  cancel(): void;
  /** No more `onData` until `resume`, so that the backend has to wait; what was read already may still come. */
  pause(): void;
  resume(): void;
}

export interface Transport {
  /** Never throws and never calls the handler before it has returned. */
  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall;
}

/** Time, passed in. Both clocks in milliseconds. */
export interface Clock {
  /** Since 1970; jumps when the computer's clock is set. */
  wall(): number;
  /** Since any moment; never jumps, and stands still on some systems while the computer sleeps. */
  monotonic(): number;
  /** Calls back once; the result cancels it. A waiting timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
}
