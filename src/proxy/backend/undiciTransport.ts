// The connections to the backend: undici over HTTP/1.1, without its own time limits, redirects or retries.
import type { Dispatcher } from 'undici';
import type {
  Transport,
  UpstreamCall,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
} from '../../session/transport.ts';
import type { Backend } from '../../settings/rules.ts';
import { Network } from './network.ts';
import { ReadingTurns } from './readingTurns.ts';
import type { RoutedDispatcher } from './routedDispatcher.ts';

type Controller = Dispatcher.DispatchController;
type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** undici keeps a cancelled request until a connection for it has opened or failed, with its body. */
const MAX_ABANDONED = 256;

export class UndiciTransport implements Transport {
  readonly #backend: Backend;
  readonly #dispatcher: RoutedDispatcher;
  /** The requests that were cancelled, and that undici still keeps. */
  readonly #abandoned = new Set<UpstreamCall>();
  readonly #turns = new ReadingTurns();

  constructor(backend: Backend, network = new Network()) {
    this.#backend = backend;
    this.#dispatcher = network.dispatcher('backend', backend.origin, backend.loopback);
  }

  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall {
    const call = new DispatchedCall(handler, this.#abandoned, this.#turns);
    const { origin, basePath } = this.#backend;
    const { method, body, length } = request;
    // undici compares the body with this length, and breaks the connection if they differ.
    const headers =
      length === undefined ? [...request.headers] : [...request.headers, 'content-length', String(length)];
    const options = { origin, path: basePath + request.path, method, headers };
    if (this.#abandoned.size >= MAX_ABANDONED) {
      call.onResponseError(undefined, Object.assign(new Error('No connection opens'), { code: 'ETIMEDOUT' }));
      return call;
    }
    try {
      // undici accepts async iterables; its documentation says so, but its types do not.
      this.#dispatcher.dispatch({ ...options, body: body as Uint8Array }, call);
    } catch (error) {
      call.onResponseError(undefined, error);
    }
    return call;
  }

  /** Opens new connections for further requests; running requests keep theirs. */
  renew(): void {
    this.#dispatcher.renew();
  }

  /** Ends every connection at once. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

const CANCELLED = new Error('cancelled');

class DispatchedCall implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #handler: UpstreamHandler;
  readonly #abandoned: Set<UpstreamCall>;
  readonly #turns: ReadingTurns;
  #controller: Controller | undefined;
  #isSettled = false;
  #cancelled = false;
  /** By the handler. */
  #paused = false;
  /** For the next turn of the event loop. */
  #isWaiting = false;

  /** @param abandoned has this call from its cancellation until undici forgets it */
  constructor(handler: UpstreamHandler, abandoned: Set<UpstreamCall>, turns: ReadingTurns) {
    this.#handler = handler;
    this.#abandoned = abandoned;
    this.#turns = turns;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    if (this.#controller !== undefined) this.#controller.abort(CANCELLED);
    else if (!this.#isSettled) this.#abandoned.add(this);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#isWaiting) this.#controller?.resume();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    this.#abandoned.delete(this);
    if (this.#cancelled) controller.abort(CANCELLED);
    else if (this.#paused) controller.pause();
  }

  onResponseStart(_controller: Controller, status: number, headers: RawHeaders): void {
    if (this.#cancelled || status < 200) return; // informational responses precede the final one
    this.#handler.onHead(toHead(status, headers));
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#cancelled) return;
    this.#handler.onData(chunk);
    if (this.#isWaiting || !this.#turns.mustWait(chunk.length, this.#endWait)) return;
    this.#isWaiting = true;
    controller.pause();
  }

  onResponseEnd(): void {
    if (!this.#cancelled) this.#handler.onEnd();
  }

  onResponseError(_controller: Controller | undefined, error: unknown): void {
    this.#isSettled = true;
    this.#abandoned.delete(this);
    if (this.#controller !== undefined) {
      this.#fail(error);
    } else {
      // undici may report this before `dispatch` has returned.
      queueMicrotask(() => {
        this.#fail(error);
      });
    }
  }

  readonly #endWait = () => {
    this.#isWaiting = false;
    if (!this.#paused && !this.#cancelled) this.#controller?.resume();
  };

  #fail(error: unknown): void {
    // undici passes the controller on when it begins to write the request to a connection.
    if (!this.#cancelled) this.#handler.onError(error, this.#controller === undefined);
  }
}

function toHead(status: number, headers: RawHeaders): UpstreamHead {
  return {
    status,
    values(name) {
      const value = headers[name] ?? [];
      return typeof value === 'string' ? [value] : value;
    },
  };
}
