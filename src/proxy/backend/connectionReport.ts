import { randomBytes } from 'node:crypto';
import type { FromProxy } from '../../shared/messages.ts';
import type { ConnectionFailure, ProxyReport } from '../../shared/ownership.ts';
import type { ConnectionEvent } from './connection.ts';

type ConnectionState = Pick<
  ProxyReport,
  'instance' | 'verified' | 'establishedAt' | 'newImage' | 'failure' | 'requestFailure' | 'servedAt'
>;

/** Why a relayed request failed. */
export type RequestFailure = Omit<ConnectionFailure, 'at'>;

export interface ConnectionWatch {
  /** To be called by the connection. */
  readonly onEvent: (event: ConnectionEvent) => void;
  /** To be called by the relay for each outcome: null for a success. */
  readonly outcome: (requestFailure: RequestFailure | null) => void;
  readonly current: () => ConnectionState;
}

/** Records the events of the connection and the outcomes of requests for the proxy's report, and passes them on. */
export function watchConnection(
  passOn: (event: ConnectionEvent | Extract<FromProxy, { type: 'outcomeChanged' }>) => void,
): ConnectionWatch {
  let state: ConnectionState = {
    instance: randomBytes(32).toString('base64url'),
    verified: null,
    establishedAt: null,
    newImage: null,
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
      if (succeeded !== lastSucceeded) passOn({ type: 'outcomeChanged', success: succeeded });
      lastSucceeded = succeeded;
    },
    onEvent: (event) => {
      hasSession = event.type === 'verified' || (hasSession && event.type !== 'sessionLost');
      if (event.type === 'verified') {
        state = {
          ...state,
          verified: event.verified,
          establishedAt: event.establishedAt,
          newImage: null,
          failure: null,
        };
      } else if (event.type === 'handshakeFailed') {
        const { code, detail, message } = event;
        const failure = { at: Date.now(), code, detail, message };
        // A failed renewal does not invalidate a live session.
        state = hasSession ? { ...state, failure } : { ...state, verified: null, establishedAt: null, failure };
      } else if (event.type === 'confirmImage') {
        state = { ...state, newImage: event.image };
      }
      passOn(event);
    },
  };
}
