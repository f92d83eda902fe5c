// The network interface that this layer needs. The proxy implements it with sockets.

/** One HTTP request to the backend. The transport never retries it and follows no redirects. */
export interface UpstreamRequest {
  readonly method: 'POST';
  /** An absolute path without query. */
  readonly path: string;
  /** Name, value, name, value ... */
  readonly headers: readonly string[];
  /** The complete body, or chunks that are read as fast as the connection sends them. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** How many bytes the chunks have together, if that is known. A body that deviates from it fails. */
  readonly length?: number | undefined;
}

/** The status line and header fields of a response. */
export interface UpstreamHead {
  readonly status: number;
  /** The values of all field lines with this lower-case name, in order. */
  values(name: string): readonly string[];
}

/**
 * Receives one response. The calls come in this order: `onHead`, any number of `onData`, then `onEnd`. `onError` may come
 * at any time and is the last call. After `cancel`, only `onError` may still come.
 */
export interface UpstreamHandler {
  onHead(head: UpstreamHead): void;
  /** The handler may keep views of the bytes. */
  onData(chunk: Uint8Array): void;
  /** The HTTP body is complete. */
  onEnd(): void;
  /** @param isUnsent whether it is certain that nothing of the request was sent */
  onError(error: unknown, isUnsent?: boolean): void;
}

/** One request in progress. */
export interface UpstreamCall {
  /** Ends the request and its connection at once. May be called at any time and repeatedly. */
  cancel(): void;
  /** Stops reading until `resume`, so that the backend has to wait. Data that was already read may still be delivered. */
  pause(): void;
  resume(): void;
}

export interface Transport {
  /** Never throws, and never calls the handler before it returns. */
  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall;
}

/** The time, in milliseconds. */
export interface Clock {
  /** Since 1970; jumps when the computer's clock is set. */
  wall(): number;
  /** Since an arbitrary moment; never jumps, but pauses on some systems while the computer sleeps. */
  monotonic(): number;
  /** Calls `callback` once; the returned function cancels it. A pending timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
}
