// The connection to the backend, composed of transport, trust and live session.
import { PINS } from '../../attestation/pins.ts';
import { AWS_NITRO_ROOT } from '../../attestation/trust.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import { bestAead } from '../../session/aead.ts';
import { performHandshake } from '../../session/handshake.ts';
import type { AttestationResult, Trust } from '../../session/handshake.ts';
import { hkdfSha256 } from '../../session/hkdf.ts';
import type { Primitives } from '../../session/session.ts';
import { SessionManager } from '../../session/sessionManager.ts';
import type { Clock } from '../../session/transport.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import type { Evidence } from '../../shared/evidence.ts';
import type { FromProxy } from '../../shared/messages.ts';
import type { Log } from '../log.ts';
import { summarizeAttestation } from './attestationSummary.ts';
import { describeError } from './describeError.ts';
import { EvidenceKeeper } from './evidenceKeeper.ts';
import type { Network } from './network.ts';
import { createHistoryLoader } from './pcrHistory.ts';
import { UndiciTransport } from './undiciTransport.ts';

export type ConnectionEvent = Extract<FromProxy, { type: 'verified' | 'sessionLost' | 'handshakeFailed' }>;

export interface ConnectionOptions {
  readonly settings: Pick<ProxyConfig, 'backend' | 'policy'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The time limit of a handshake, in milliseconds; read for each handshake. */
  readonly handshakeTimeout: () => number;
  readonly network: Network;
  readonly onEvent: (event: ConnectionEvent) => void;
  readonly primitives?: Primitives;
  readonly anchors?: TrustAnchors;
}

export interface BackendConnection {
  readonly sessions: SessionManager<AttestationResult>;
  readonly transport: UndiciTransport;
  /** Of the live session; without one, of the last handshake that got a document. Null: there was none. */
  evidence(): Evidence | null;
  close(): Promise<void>;
}

/** The fastest implementations by measurement: each request derives two subkeys. */
export function bestPrimitives(): Primitives {
  return { aead: bestAead(), hkdf: hkdfSha256 };
}

/** Opens no connection yet: `sessions` makes the first session when it is asked for one. */
export function openConnection(options: ConnectionOptions): BackendConnection {
  const { settings, clock, log, network, onEvent, handshakeTimeout } = options;
  const { primitives = bestPrimitives(), anchors = AWS_NITRO_ROOT } = options;
  const transport = new UndiciTransport(settings.backend, network);
  const historyOrigin = new URL(PINS[settings.policy.environment].historyUrl).origin;
  const historyDispatcher = network.dispatcher('history', historyOrigin, false);
  const trust: Trust = settings.backend.verified
    ? {
        kind: 'nitro',
        anchors,
        policy: settings.policy,
        history: createHistoryLoader(settings.policy.environment, historyDispatcher, clock),
      }
    : { kind: 'development' };
  const evidence = new EvidenceKeeper({ backend: settings.backend, anchors, policy: settings.policy });
  const sessions = new SessionManager<AttestationResult>({
    clock,
    connect: async () => {
      await network.ready; // its time is not that of the handshake
      return performHandshake({
        transport,
        primitives,
        trust,
        clock,
        timeout: handshakeTimeout,
        onRefused: evidence.refused,
      });
    },
    onEstablished: ({ attestation }) => {
      evidence.established(attestation);
      const summary = summarizeAttestation(attestation);
      if (summary.kind === 'verified') {
        const { environment, pcr0, approvedBy, moduleId } = summary;
        log.info('session', { verified: true, environment, pcr0, approvedBy, moduleId });
      } else {
        log.info('session', { verified: false, note: 'development backend, not verified' });
      }
      onEvent({ type: 'verified', verified: summary, establishedAt: Date.now() });
    },
    onLost: (reason) => {
      log.info('session_lost', { reason });
      if (reason === 'slept') transport.renew(); // the old connections may be dead without an error
      onEvent({ type: 'sessionLost', reason });
    },
    onFailed: (error) => {
      const failure = describeError(error);
      log.error('handshake_failed', failure);
      if (error.code === 'timeout') transport.renew(); // the network may have changed without an error
      onEvent({ type: 'handshakeFailed', ...failure });
    },
  });
  return {
    sessions,
    transport,
    evidence: () => evidence.of(sessions.current()?.attestation),
    close: async () => {
      sessions.close();
      network.close();
      await Promise.all([transport.close(), historyDispatcher.destroy()]);
    },
  };
}
