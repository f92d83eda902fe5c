// The states of the proxy as a window sees them.
import type { AttestationSummary, NewImage } from './messages.ts';
import type { ConnectionFailure } from './ownership.ts';

/** Why the backend cannot be used. */
export type Cause =
  /** No connection. */
  | 'network'
  /** The attestation document was refused. */
  | 'attestation'
  /** The enclave is genuine, but its image is not trusted. */
  | 'pcr0'
  /** The document is genuine, but this computer's clock is wrong. */
  | 'clock'
  /** The enclave runs a new image, which the user has not accepted. */
  | 'newImage'
  /** The backend violates the protocol. */
  | 'protocol'
  /** The enclave responds with an error. */
  | 'backend';

/** The state of a running proxy's connection to the backend. Times in milliseconds since 1970. */
export type Health =
  | { readonly kind: 'noKey' }
  | { readonly kind: 'checking' }
  | {
      readonly kind: 'connected';
      /** The ids of the models. */
      readonly models: readonly string[];
      /** The parsed model list of the backend. */
      readonly catalogue: unknown;
      readonly checkedAt: number;
    }
  | { readonly kind: 'keyRejected'; readonly checkedAt: number }
  | {
      readonly kind: 'unreachable';
      readonly cause: Cause;
      readonly message: string;
      /** The failure of the handshake or of a request, if the proxy reports one. */
      readonly failure: ConnectionFailure | null;
      readonly checkedAt: number;
      readonly retryAt: number | null;
    }
  | { readonly kind: 'slow'; readonly checkedAt: number; readonly retryAt: number | null };

/** Who uses a port that the proxy needs. */
export type PortUser =
  /** A program that responds. */
  | 'program'
  /** A program that accepts connections and does not respond. */
  | 'unresponsive'
  /** A program that says that it is a Sealed Proxy, and does not share this editor's secret. */
  | 'sealedProxy'
  /** A program that has bound the port and does not listen. */
  | 'silent'
  /** The operating system, which has reserved the port. */
  | 'system';

export type ProxyStatus =
  /** `allWindows`: the user has stopped all windows of this editor, not only this one. */
  | { readonly kind: 'off'; readonly allWindows?: true }
  | { readonly kind: 'starting' }
  /** The port cannot be used. */
  | { readonly kind: 'portTaken'; readonly port: number; readonly by: PortUser }
  /** Another window runs a different version of the proxy, which this window does not understand. */
  | { readonly kind: 'otherVersion'; readonly port: number; readonly version: string; readonly isNewer: boolean }
  /** Another window runs a proxy with a different configuration: another backend, or other trusted images. */
  | { readonly kind: 'otherSettings'; readonly port: number; readonly backendUrl: string }
  /** The proxy ended unexpectedly, and starts again at this time. */
  | { readonly kind: 'restarting'; readonly at: number }
  /** The proxy does not start; `message` explains why and what to do. */
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
      /** The version of the proxy. */
      readonly version: string;
      /** True if the proxy belongs to another window, which shares it with this one. */
      readonly shared: boolean;
      readonly backendUrl: string;
      /** How the session was attested, also for a development backend, which is not verified; null without a session. */
      readonly verified: AttestationSummary | null;
      readonly establishedAt: number | null;
      /** The image of the enclave, if it needs the user's consent. */
      readonly newImage?: NewImage | null;
      readonly health: Health;
    };

export type RunningStatus = Extract<ProxyStatus, { kind: 'running' }>;
export type ConnectedStatus = RunningStatus & { readonly health: Extract<Health, { kind: 'connected' }> };

/** The base URL for OpenAI clients; undefined unless the proxy runs. */
export function baseUrlOf(status: ProxyStatus): string | undefined {
  return status.kind === 'running' ? `${status.url}/v1` : undefined;
}

/** Whether the proxy is connected to the backend, which accepts the API key. */
export function isConnected(status: ProxyStatus): status is ConnectedStatus {
  return status.kind === 'running' && status.health.kind === 'connected';
}

/** The cause of a failure, in the categories that the UI explains. */
export function causeOf({ code, detail }: Pick<ConnectionFailure, 'code' | 'detail'>): Cause {
  if (detail === 'clock') return 'clock';
  if (detail === 'pcr0_not_approved' || code === 'history_unavailable') return 'pcr0';
  switch (code) {
    case 'network':
    case 'timeout':
      return 'network';
    case 'image_unconfirmed':
    case 'image_refused':
      return 'newImage';
    case 'handshake_unavailable':
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
