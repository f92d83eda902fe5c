// Measures how long the enclave takes to notice a cancelled request, from the moment at which the extension aborts it. The
// time that the editor needs to pass the cancellation between its processes is not included.
import assert from 'node:assert/strict';

/** In milliseconds. */
const PROMPT = 200;

interface Noted {
  abortedAt?: number;
}

/**
 * Cancels up to three responses, and fails if the enclave notices none of them promptly. Three, because on a loaded machine
 * any process in between may pause for a moment.
 * @param cancel cancels a response, and returns when the extension aborted its request and when the enclave noticed, in
 *   milliseconds since 1970
 */
export async function assertPromptCancellation(
  cancel: () => Promise<{ aborted: number | undefined; noticed: number }>,
): Promise<void> {
  const times: number[] = [];
  while (times.length < 3) {
    const { aborted, noticed } = await cancel();
    assert.ok(aborted !== undefined, 'the extension has aborted its request');
    times.push(noticed - aborted);
    if (noticed - aborted < PROMPT) return;
  }
  assert.fail(`The enclave noticed the cancellations after ${times.join(', ')} ms`);
}

// The next two are also sent to extension hosts, so they use nothing else of this file.

/** Notes the time of the extension's next abort. Aborts of other extensions in the process are ignored. */
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

/** The noted time, in milliseconds since 1970; undefined if there was no abort. */
export function abortedAt(): number | undefined {
  return (globalThis as Noted).abortedAt;
}
