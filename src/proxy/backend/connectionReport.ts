import { randomBytes } from 'node:crypto';
import type { ConnectionFailure, ProxyReport } from '../../shared/ownership.ts';
import type { ConnectionEvents } from './connection.ts';
import { describeError } from './describeError.ts';

type ConnectionState = Omit<ProxyReport, 'version' | 'port' | 'backendUrl' | 'trustFingerprint' | 'keySetDigest'>;

export interface OutcomeEvents {
  /** False: relayed requests begin to fail for a reason that affects all of them. True: they succeed again. */
  outcomeChanged?(success: boolean): void;
}

/** Why a relayed request failed. */
export type RequestFailure = Omit<ConnectionFailure, 'at'>;

export interface ConnectionWatch {
  /** To be called by the connection. */
  readonly events: ConnectionEvents;
  /** To be called by the relay for each outcome: null for a success. */
  readonly outcome: (requestFailure: RequestFailure | null) => void;
  readonly current: () => ConnectionState;
}

/** Records the events of the connection and the outcomes of requests for the proxy's report, and passes them on. */
export function watchConnection(events: ConnectionEvents & OutcomeEvents): ConnectionWatch {
  let state: ConnectionState = {
    instance: randomBytes(32).toString('base64url'),
    verified: null,
    establishedAt: null,
    failure: null,
    requestFailure: null,
    servedAt: null,
  };
  let hasSession = false;
  let lastSucceeded = true;
  return {
    current: () => state,
    outcome: (requestFailure) => {
      const at = Date.now();
      const succeeded = requestFailure === null;
      state = { ...state, ...(succeeded ? { servedAt: at } : { requestFailure: { at, ...requestFailure } }) };
      if (succeeded !== lastSucceeded) events.outcomeChanged?.(succeeded);
      lastSucceeded = succeeded;
    },
    events: {
      verified: (summary) => {
        hasSession = true;
        state = { ...state, verified: summary, establishedAt: Date.now(), failure: null };
        events.verified?.(summary);
      },
      sessionLost: (reason) => {
        hasSession = false;
        events.sessionLost?.(reason);
      },
      handshakeFailed: (error) => {
        const failure = { at: Date.now(), ...describeError(error) };
        // A failed renewal does not invalidate a live session.
        state = hasSession ? { ...state, failure } : { ...state, verified: null, establishedAt: null, failure };
        events.handshakeFailed?.(error);
      },
    },
  };
}
