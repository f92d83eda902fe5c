import type { ProxyReport } from '../shared/ownership.ts';
import type { ConnectionEvents } from './connection.ts';
import { describeError } from './describeError.ts';

type Standing = Pick<ProxyReport, 'verified' | 'establishedAt' | 'failure'>;

/** Listens to the connection for whoever asks later how it stands, and passes everything on. */
export function watchConnection(events: ConnectionEvents): {
  readonly events: ConnectionEvents;
  readonly current: () => Standing;
} {
  let standing: Standing = { verified: null, establishedAt: null, failure: null };
  return {
    current: () => standing,
    events: {
      verified: (verified) => {
        standing = { verified, establishedAt: Date.now(), failure: null };
        events.verified?.(verified);
      },
      sessionLost: (reason) => {
        events.sessionLost?.(reason);
      },
      handshakeFailed: (error) => {
        standing = { verified: null, establishedAt: null, failure: describeError(error) };
        events.handshakeFailed?.(error);
      },
    },
  };
}
