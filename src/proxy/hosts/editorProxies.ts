import type { ProxyRoute } from '../../shared/network.ts';

/** Milliseconds. The editor may have to download and run a PAC script. */
const LIMIT = 10_000;

interface Search {
  readonly result: Promise<ProxyRoute | undefined>;
  readonly resolve: (route: ProxyRoute | undefined) => void;
}

/** Asks the extension which proxies the editor would use. */
export class EditorProxies {
  readonly #ask: (url: string) => unknown;
  readonly #limit: number;
  readonly #searches = new Map<string, Search>();

  /** @param limit milliseconds to wait for an answer */
  constructor(ask: (url: string) => unknown, limit = LIMIT) {
    this.#ask = ask;
    this.#limit = limit;
  }

  /** Resolves with undefined if no answer comes in time. Calls for the same URL share one question. */
  readonly find = (url: string): Promise<ProxyRoute | undefined> => {
    const running = this.#searches.get(url);
    if (running !== undefined) return running.result;
    const { promise, resolve } = Promise.withResolvers<ProxyRoute | undefined>();
    const timer = setTimeout(resolve, this.#limit, undefined).unref();
    const result = promise.finally(() => {
      clearTimeout(timer);
      this.#searches.delete(url);
    });
    this.#searches.set(url, { result, resolve });
    this.#ask(url);
    return result;
  };

  /** To be called with the answer. */
  found(url: string, route: ProxyRoute): void {
    this.#searches.get(url)?.resolve(route);
  }
}
