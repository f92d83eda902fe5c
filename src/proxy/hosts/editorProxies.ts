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
  readonly #searches = new Map<string, Search>();

  constructor(ask: (url: string) => unknown) {
    this.#ask = ask;
  }

  /** Resolves with undefined if no answer comes within ten seconds. Calls for the same URL share one question. */
  readonly find = (url: string): Promise<ProxyRoute | undefined> => {
    const running = this.#searches.get(url);
    if (running !== undefined) return running.result;
    const { promise, resolve } = Promise.withResolvers<ProxyRoute | undefined>();
    const timer = setTimeout(resolve, LIMIT, undefined).unref();
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
