// How long it takes until the enclave knows that nobody wants an answer any more, from the moment at which the extension
// hears of it: it aborts its request in the same turn. Before that, the editor has carried the news between processes.
import assert from 'node:assert/strict';

/** In milliseconds. */
const AT_ONCE = 200;

interface Noted {
  abortedAt?: number;
}

/**
 * Cancels up to three answers, and fails if the enclave has heard of none at once: on a loaded machine, any of the
 * processes in between may stand still for a moment.
 * @param cancel does it, and returns when the extension and when the enclave knew, in milliseconds since 1970
 */
export async function assertAtOnce(cancel: () => Promise<{ told: number | undefined; gone: number }>): Promise<void> {
  const times: number[] = [];
  while (times.length < 3) {
    const { told, gone } = await cancel();
    assert.ok(told !== undefined, 'the extension has aborted its request');
    times.push(gone - told);
    if (gone - told < AT_ONCE) return;
  }
  assert.fail(`The enclave knew after ${times.join(', ')} ms`);
}

// Sent to extension hosts as well, these two lean on nothing here.

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
