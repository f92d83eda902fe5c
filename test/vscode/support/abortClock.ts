// When the extension hears that nobody wants an answer any more: it aborts its request in the same turn. Before that, the
// editor has carried the news from one process to another. Both functions are sent to extension hosts as well, so they
// lean on nothing here.

interface Noted {
  abortedAt?: number;
}

/** Notes the time of the extension's next abort. The other extensions of this process have aborts of their own. */
export function noteAbort(): void {
  const { prototype } = AbortController;
  const abort = Reflect.get(prototype, 'abort');
  delete (globalThis as Noted).abortedAt;
  prototype.abort = function (this: AbortController, reason?: unknown) {
    if (new Error().stack?.includes('sealed-proxy.sealed-proxy-') === true) {
      prototype.abort = abort;
      (globalThis as Noted).abortedAt = Date.now();
    }
    abort.call(this, reason);
  };
}

/** Milliseconds since 1970, or undefined: there was none. */
export function abortedAt(): number | undefined {
  return (globalThis as Noted).abortedAt;
}
