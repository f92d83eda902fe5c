// The standing connection to the backend: transport, trust and the live session, composed.
import { AWS_NITRO_ROOT } from '../../attestation/trust.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import { bestAead } from '../../session/aead.ts';
import type { SessionError } from '../../session/errors.ts';
import { performHandshake } from '../../session/handshake.ts';
import type { AttestationResult, Trust } from '../../session/handshake.ts';
import { pureHkdf } from '../../session/hkdf.ts';
import type { Primitives } from '../../session/session.ts';
import { SessionManager } from '../../session/sessionManager.ts';
import type { SessionLoss } from '../../session/sessionManager.ts';
import type { Clock } from '../../session/transport.ts';
import type { NetworkSettings, AttestationSummary } from '../../shared/messages.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import { describeError } from './describeError.ts';
import { summarizeAttestation } from './attestationSummary.ts';
import type { Log } from '../log.ts';
import { historyOf } from './pcrHistory.ts';
import { UndiciTransport, createDispatcher } from './upstream.ts';

/** What the rest of the process hears of the connection. */
export interface ConnectionEvents {
  verified?(verified: AttestationSummary): void;
  sessionLost?(reason: SessionLoss): void;
  handshakeFailed?(error: SessionError): void;
}

export interface ConnectionOptions {
  readonly settings: Pick<ProxyConfig, 'backend' | 'policy'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a handshake may take, in milliseconds. */
  readonly handshakeTimeout: () => number;
  readonly network?: NetworkSettings;
  readonly events?: ConnectionEvents;
  readonly primitives?: Primitives;
  readonly anchors?: TrustAnchors;
}

export interface BackendConnection {
  readonly sessions: SessionManager<AttestationResult>;
  readonly transport: UndiciTransport;
  close(): Promise<void>;
}

/** Both are chosen by measurement: the hot path derives two subkeys for each request. */
export function bestPrimitives(): Primitives {
  return { aead: bestAead(), hkdf: pureHkdf };
}

export function openConnection(options: ConnectionOptions): BackendConnection {
  const { settings, clock, log, network, events = {}, handshakeTimeout } = options;
  const { primitives = bestPrimitives(), anchors = AWS_NITRO_ROOT } = options;
  const transport = new UndiciTransport(settings.backend, network);
  // Whoever could exchange the history could have other images approved: certificates count here whatever the settings.
  const elsewhere = createDispatcher(null, false, { ...network, strictTls: true });
  const trust: Trust = settings.backend.verified
    ? {
        kind: 'nitro',
        anchors,
        policy: settings.policy,
        history: historyOf(settings.policy.environment, elsewhere, clock),
      }
    : { kind: 'development' };
  const sessions = new SessionManager<AttestationResult>({
    clock,
    connect: () => performHandshake({ transport, primitives, trust, clock, timeout: handshakeTimeout }),
    onEstablished: ({ attestation: evidence }) => {
      const verified = summarizeAttestation(evidence);
      if (verified.kind === 'verified') {
        const { environment, pcr0, approvedBy, moduleId } = verified;
        log.info('session', { verified: true, environment, pcr0, approvedBy, moduleId });
      } else {
        log.info('session', { verified: false, note: 'development backend, not verified' });
      }
      events.verified?.(verified);
    },
    onLost: (reason) => {
      log.info('session_lost', { reason });
      if (reason === 'slept') transport.renew(); // the connections may be dead without knowing it
      events.sessionLost?.(reason);
    },
    onFailed: (error) => {
      log.error('handshake_failed', describeError(error));
      events.handshakeFailed?.(error);
    },
  });
  return {
    sessions: sessions,
    transport,
    close: async () => {
      sessions.close();
      await Promise.all([transport.close(), elsewhere.destroy()]);
    },
  };
}
