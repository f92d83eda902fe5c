// The signed history of enclave images, fetched when an image is not in the pinned list.
import type { Dispatcher } from 'undici';
import { MAX_HISTORY_BYTES, parseHistory } from '../../attestation/history.ts';
import type { PcrHistory } from '../../attestation/history.ts';
import { HISTORY_VERIFICATION_KEY, PINS } from '../../attestation/pins.ts';
import type { Environment } from '../../attestation/pins.ts';
import { SessionError } from '../../session/errors.ts';
import type { Clock } from '../../session/transport.ts';
import { concatBytes } from '../../shared/bytes.ts';

const FETCH_TIMEOUT = 5000;
/** A history is fetched at most this often, in milliseconds, whether it could be had or not. */
const FETCH_INTERVAL = 10 * 60_000;

/**
 * The history of one environment: fetched when it is first asked for, kept for 10 minutes, one fetch for all who ask.
 * @throws (the result) SessionError `history_unavailable`, AttestationError `history_invalid`
 */
export function historyOf(environment: Environment, dispatcher: Dispatcher, clock: Clock): () => Promise<PcrHistory> {
  let fetched: Promise<PcrHistory> | undefined;
  let fetchAgainAt = -Infinity;
  return () => {
    const now = clock.monotonic();
    if (fetched === undefined || now >= fetchAgainAt) {
      fetchAgainAt = now + FETCH_INTERVAL;
      fetched = download(PINS[environment].historyUrl, dispatcher).then((bytes) =>
        parseHistory(bytes, environment, HISTORY_VERIFICATION_KEY),
      );
    }
    return fetched;
  };
}

async function download(url: string, dispatcher: Dispatcher): Promise<Uint8Array> {
  const { origin, pathname } = new URL(url);
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT);
    const { statusCode, body } = await dispatcher.request({ origin, path: pathname, method: 'GET', signal });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy(); // which it calls an error, and nobody else hears
      throw new Error(`answered with ${statusCode}`);
    }
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > MAX_HISTORY_BYTES) throw new Error('longer than 1 MiB');
      pieces.push(piece);
    }
    return concatBytes(...pieces);
  } catch (cause) {
    const message = "The enclave's image is not in the pinned list, and the signed history of images could not be had";
    throw new SessionError('history_unavailable', message, { cause });
  }
}
