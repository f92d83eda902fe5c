// Whether the proxy can serve requests now, for the probes of containers and balancers.
import type { BackendCode } from '../../shared/errors.ts';

/** Why the proxy is not ready: for programs, and in a sentence. */
export interface NotReady {
  readonly code:
    | BackendCode
    /** No handshake has ended yet. */
    | 'starting'
    /** The session ended, and there is no new one yet. */
    | 'reconnecting'
    /** The proxy was asked to stop. */
    | 'stopping';
  readonly message: string;
}

export const STARTING: NotReady = { code: 'starting', message: 'The first session with the enclave is being made.' };
export const RECONNECTING: NotReady = {
  code: 'reconnecting',
  message: 'The session with the enclave ended, and a new one is being made.',
};
export const STOPPING: NotReady = { code: 'stopping', message: 'The proxy is stopping.' };

/** @returns the status and the JSON of the response to `GET /ready` */
export function readyResponse(notReady: NotReady | null): readonly [status: number, json: string] {
  if (notReady === null) return [200, JSON.stringify({ status: 'ready' })];
  const { code, message } = notReady;
  return [503, JSON.stringify({ status: 'not_ready', reason: code, message })];
}
