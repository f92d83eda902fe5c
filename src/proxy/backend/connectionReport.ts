import { randomBytes } from 'node:crypto';
import type { Failure, ProxyReport } from '../../shared/ownership.ts';
import type { ConnectionEvents } from './connection.ts';
import { describeError } from './describeError.ts';

type Standing = Omit<ProxyReport, 'version' | 'port' | 'backendUrl' | 'tag' | 'stamp'>;

export interface OutcomeEvents {
  /** Relayed requests begin to fail as any other would now (false), or to succeed again (true). */
  outcomeChanged?(well: boolean): void;
}

/** Why a relayed request failed. */
export type Trouble = Omit<Failure, 'at'>;

export interface ConnectionWatch {
  /** For the connection to tell. */
  readonly events: ConnectionEvents;
  /** For the relay to tell. */
  readonly outcome: (trouble: Trouble | null) => void;
  /** How it stands. */
  readonly current: () => Standing;
}

/** Listens to the connection and the relay for whoever asks later how it stands, and passes everything on. */
export function watchConnection(events: ConnectionEvents & OutcomeEvents): ConnectionWatch {
  let standing: Standing = {
    instance: randomBytes(32).toString('base64url'),
    verified: null,
    establishedAt: null,
    failure: null,
    trouble: null,
    servedAt: null,
  };
  let stands = false;
  let well = true;
  return {
    current: () => standing,
    outcome: (trouble) => {
      const at = Date.now();
      standing = { ...standing, ...(trouble === null ? { servedAt: at } : { trouble: { at, ...trouble } }) };
      const next = trouble === null;
      if (next !== well) events.outcomeChanged?.(next);
      well = next;
    },
    events: {
      verified: (verified) => {
        stands = true;
        standing = { ...standing, verified, establishedAt: Date.now(), failure: null };
        events.verified?.(verified);
      },
      sessionLost: (reason) => {
        stands = false;
        events.sessionLost?.(reason);
      },
      handshakeFailed: (error) => {
        const failure = { at: Date.now(), ...describeError(error) };
        // A renewal that fails takes nothing from the session that stands.
        standing = stands ? { ...standing, failure } : { ...standing, verified: null, establishedAt: null, failure };
        events.handshakeFailed?.(error);
      },
    },
  };
}
