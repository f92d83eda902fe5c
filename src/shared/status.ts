// The states that the proxy can be in as a window sees it, as one union.
import type { ConnectionFailure } from './ownership.ts';
import type { AttestationSummary } from './messages.ts';

/** Why the backend cannot be reached or believed. */
export type Cause =
  /** No connection. */
  | 'network'
  /** The attestation document was refused. */
  | 'attestation'
  /** A genuine enclave with an image that is not approved. */
  | 'pcr0'
  /** The document is genuine and this computer's clock is wrong. */
  | 'clock'
  /** The backend does not speak the protocol. */
  | 'protocol'
  /** The enclave answers, and says that it cannot. */
  | 'backend';

/** How the connection behind a running proxy stands. Times in milliseconds since 1970. */
export type Health =
  | { readonly kind: 'noKey' }
  | { readonly kind: 'checking' }
  | {
      readonly kind: 'connected';
      /** Their ids. */
      readonly models: readonly string[];
      /** The list as the backend sent it, parsed. */
      readonly catalogue: unknown;
      readonly checkedAt: number;
    }
  | { readonly kind: 'keyRejected'; readonly checkedAt: number }
  | {
      readonly kind: 'unreachable';
      readonly cause: Cause;
      readonly message: string;
      /** Of the handshake or of the answer, where the proxy knows more than the status. */
      readonly failure: ConnectionFailure | null;
      readonly checkedAt: number;
      readonly retryAt: number | null;
    }
  | { readonly kind: 'slow'; readonly checkedAt: number; readonly retryAt: number | null };

export type ProxyStatus =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  /** A program that is not ours listens on the port, or one that does not say whose it is. */
  | { readonly kind: 'portTaken'; readonly port: number; readonly unresponsive: boolean }
  /** A proxy of ours, of another version, in another window. */
  | { readonly kind: 'otherVersion'; readonly port: number; readonly version: string }
  /** A proxy of ours in another window, with other settings: another backend, or other images approved. */
  | { readonly kind: 'otherSettings'; readonly port: number; readonly backendUrl: string }
  /** It ended without being asked, and will be started again. */
  | { readonly kind: 'restarting'; readonly at: number }
  /** It does not start; `message` says why and what to do. */
  | {
      readonly kind: 'failed';
      readonly reason: 'crashes' | 'slowStart' | 'setting' | 'listen';
      readonly message: string;
    }
  | {
      readonly kind: 'running';
      /** `http://127.0.0.1:PORT`, without `/v1`. */
      readonly url: string;
      readonly port: number;
      readonly version: string;
      /** True: another window's proxy serves this one too. */
      readonly shared: boolean;
      readonly backendUrl: string;
      readonly verified: AttestationSummary | null;
      readonly establishedAt: number | null;
      readonly health: Health;
    };

/** The base URL that OpenAI clients take, while there is one. */
export function baseUrlOf(status: ProxyStatus): string | undefined {
  return status.kind === 'running' ? `${status.url}/v1` : undefined;
}

/** What a failed handshake or answer means to a person. */
export function causeOf({ code, detail }: Omit<ConnectionFailure, 'at'>): Cause {
  if (detail === 'clock') return 'clock';
  if (detail === 'pcr0_not_approved' || code === 'history_unavailable') return 'pcr0';
  switch (code) {
    case 'network':
    case 'timeout':
      return 'network';
    case 'enclave_error':
      return 'backend';
    case 'attestation_refused':
    case 'weak_public_key':
    case 'session_id_mismatch':
      return 'attestation';
    default:
      return 'protocol';
  }
}
