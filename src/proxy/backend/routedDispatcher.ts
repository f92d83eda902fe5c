import { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/**
 * A dispatcher that is opened for the first request, which can take time, and opened again after a connection failed: the
 * computer may be in another network, which needs another proxy.
 */
export class RoutedDispatcher extends Dispatcher {
  readonly #open: () => Promise<Dispatcher>;
  #current: Promise<Dispatcher> | undefined;
  /** All that are open. */
  readonly #opened = new Set<Dispatcher>();
  #isDestroyed = false;

  constructor(open: () => Promise<Dispatcher>) {
    super();
    this.#open = open;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const current = (this.#current ??= this.#start());
    const observer = new FailureObserver(handler, () => {
      if (this.#current === current) this.renew();
    });
    current
      .then((dispatcher) => dispatcher.dispatch(options, observer))
      .catch((error: unknown) => {
        observer.onResponseError(null as unknown as Controller, error as Error);
      });
    return true;
  }

  /** Opens new connections for further requests; running requests keep theirs. */
  renew(): void {
    const previous = this.#current;
    this.#current = undefined;
    previous
      ?.then(async (dispatcher) => {
        await dispatcher.close();
        this.#opened.delete(dispatcher);
      })
      .catch(() => undefined); // each request reports its own error
  }

  override async close(): Promise<void> {
    await this.destroy();
  }

  /** Ends every connection at once. */
  override async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#opened].map((dispatcher) => dispatcher.destroy()));
  }

  async #start(): Promise<Dispatcher> {
    const dispatcher = await this.#open();
    this.#opened.add(dispatcher);
    if (this.#isDestroyed) await dispatcher.destroy();
    return dispatcher;
  }
}

/** Passes everything on, and reports a failure before the response that was not the caller's own. */
class FailureObserver implements Handler {
  readonly #handler: Handler;
  #onFailure: (() => void) | undefined;

  constructor(handler: Handler, onFailure: () => void) {
    this.#handler = handler;
    this.#onFailure = onFailure;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    ...[controller, status, headers, message]: Parameters<NonNullable<Handler['onResponseStart']>>
  ): void {
    this.#onFailure = undefined;
    this.#handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...[controller, trailers]: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    // The caller's own cancellation does not speak against the connection. Before the request, there is no controller.
    if (!(controller as Controller | null)?.aborted) this.#onFailure?.();
    this.#handler.onResponseError?.(controller, error);
  }
}
