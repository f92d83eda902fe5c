import { randomBytes } from 'node:crypto';
import type { ConnectionFailure, ProxyReport } from '../../shared/ownership.ts';
import type { ConnectionEvents } from './connection.ts';
import { describeError } from './describeError.ts';

type ConnectionState = Omit<ProxyReport, 'version' | 'port' | 'backendUrl' | 'trustFingerprint' | 'keySetDigest'>;

export interface OutcomeEvents {
  /** Relayed requests begin to fail as any other would now (false), or to succeed again (true). */
  outcomeChanged?(well: boolean): void;
}

/** Why a relayed request failed. */
export type RequestFailure = Omit<ConnectionFailure, 'at'>;

export interface ConnectionWatch {
  /** For the connection to tell. */
  readonly events: ConnectionEvents;
  /** For the relay to tell. */
  readonly outcome: (requestFailure: RequestFailure | null) => void;
  /** How it stands. */
  readonly current: () => ConnectionState;
}

/** Listens to the connection and the relay for whoever asks later how it stands, and passes everything on. */
export function watchConnection(events: ConnectionEvents & OutcomeEvents): ConnectionWatch {
  let state: ConnectionState = {
    instance: randomBytes(32).toString('base64url'),
    verified: null,
    establishedAt: null,
    failure: null,
    requestFailure: null,
    servedAt: null,
  };
  let stands = false;
  let well = true;
  return {
    current: () => state,
    outcome: (requestFailure) => {
      const at = Date.now();
      state = {
        ...state,
        ...(requestFailure === null ? { servedAt: at } : { requestFailure: { at, ...requestFailure } }),
      };
      const next = requestFailure === null;
      if (next !== well) events.outcomeChanged?.(next);
      well = next;
    },
    events: {
      verified: (verified) => {
        stands = true;
        state = { ...state, verified, establishedAt: Date.now(), failure: null };
        events.verified?.(verified);
      },
      sessionLost: (reason) => {
        stands = false;
        events.sessionLost?.(reason);
      },
      handshakeFailed: (error) => {
        const failure = { at: Date.now(), ...describeError(error) };
        // A renewal that fails takes nothing from the session that stands.
        state = stands ? { ...state, failure } : { ...state, verified: null, establishedAt: null, failure };
        events.handshakeFailed?.(error);
      },
    },
  };
}
