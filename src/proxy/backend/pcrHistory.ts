// Downloads the signed history of enclave images, which is needed for an image that is not in the pinned list.
import type { Dispatcher } from 'undici';
import { MAX_HISTORY_BYTES, parseHistory } from '../../attestation/history.ts';
import type { PcrHistory } from '../../attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../attestation/pins.ts';
import type { Environment } from '../../attestation/pins.ts';
import { SessionError } from '../../session/errors.ts';
import type { Clock } from '../../session/transport.ts';
import { concatBytes } from '../../shared/bytes.ts';

/** In milliseconds. */
const DOWNLOAD_TIMEOUT = 5000;
/** The age from which a history is downloaded again for an image that it contains, in milliseconds. */
const REFRESH_AFTER = 10 * 60_000;
/** The same for an image that it lacks, which may be newer than the history. */
const ASK_AGAIN_AFTER = 30_000;
/** The pause after a failed download, in milliseconds. It doubles with each failure in a row, up to the longest. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15_000;

/**
 * Returns a function that loads the history of one environment for an enclave image (PCR0, 96 hex digits). Simultaneous
 * calls share one download. While downloads fail, the last history remains in use for the images that it contains.
 *
 * A downloaded history replaces the previous one completely, even if it is shorter: only so can the makers withdraw an
 * image. An outdated copy can therefore refuse an image until the next download, but never approve one that was not signed.
 * All times are of the monotonic clock, so a changed wall clock neither delays a download nor repeats it.
 * @throws (rejection of the loader) SessionError `history_unavailable`, AttestationError `history_invalid`: there is no
 *   history that contains the image, and the download failed now or a moment ago
 */
export function createHistoryLoader(
  environment: Environment,
  dispatcher: Dispatcher,
  clock: Clock,
): (pcr0: string) => Promise<PcrHistory> {
  let last: { readonly history: PcrHistory; readonly at: number } | undefined;
  let failure: { readonly error: unknown; readonly pause: number; readonly until: number } | undefined;
  let pending: Promise<PcrHistory> | undefined;

  const update = async (): Promise<PcrHistory> => {
    try {
      const bytes = await download(PINS[environment].historyUrl, dispatcher);
      last = { history: parseHistory(bytes, environment, HISTORY_VERIFICATION_KEY), at: clock.monotonic() };
      failure = undefined;
      return last.history;
    } catch (error) {
      const pause = failure === undefined ? FIRST_PAUSE : Math.min(2 * failure.pause, LONGEST_PAUSE);
      failure = { error, pause, until: clock.monotonic() + pause };
      throw error;
    } finally {
      pending = undefined;
    }
  };

  return async (pcr0) => {
    const known = last;
    const isListed = known?.history.approves(pcr0) === true;
    const now = clock.monotonic();
    if (known !== undefined && now - known.at < (isListed ? REFRESH_AFTER : ASK_AGAIN_AFTER)) return known.history;
    try {
      if (failure !== undefined && now < failure.until) throw failure.error;
      return await (pending ??= update());
    } catch (error) {
      if (isListed) return known.history;
      throw error;
    }
  };
}

async function download(url: string, dispatcher: Dispatcher): Promise<Uint8Array> {
  const { origin, pathname } = new URL(url);
  try {
    const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT);
    const { statusCode, body } = await dispatcher.request({ origin, path: pathname, method: 'GET', signal });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy(); // undici emits an error for this; without a listener it would crash
      throw new Error(`answered with ${statusCode}`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > MAX_HISTORY_BYTES) throw new Error('longer than 1 MiB');
      chunks.push(chunk);
    }
    return concatBytes(...chunks);
  } catch (cause) {
    const message =
      'The enclave image is not in the pinned list, and the signed history of images could not be downloaded';
    throw new SessionError('history_unavailable', message, { cause });
  }
}
