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
/** The shortest time between two downloads of a history, successful or not, in milliseconds. */
const DOWNLOAD_INTERVAL = 10 * 60_000;

/**
 * Returns a function that loads the history of one environment: downloaded on the first call, kept for 10 minutes, one
 * download for simultaneous calls. A failure is kept for 10 minutes too.
 * @throws (rejection of the loader) SessionError `history_unavailable`, AttestationError `history_invalid`
 */
export function createHistoryLoader(
  environment: Environment,
  dispatcher: Dispatcher,
  clock: Clock,
): () => Promise<PcrHistory> {
  let loaded: Promise<PcrHistory> | undefined;
  let nextDownloadAt = -Infinity;
  return () => {
    const now = clock.monotonic();
    if (loaded === undefined || now >= nextDownloadAt) {
      nextDownloadAt = now + DOWNLOAD_INTERVAL;
      loaded = download(PINS[environment].historyUrl, dispatcher).then((bytes) =>
        parseHistory(bytes, environment, HISTORY_VERIFICATION_KEY),
      );
    }
    return loaded;
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
