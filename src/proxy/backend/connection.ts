// The connection to the backend, composed of transport, trust and live session.
import { PINS } from '../../attestation/pins.ts';
import { AWS_NITRO_ROOT } from '../../attestation/trust.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import { bestAead } from '../../session/bestAead.ts';
import { performHandshake } from '../../session/handshake.ts';
import type { Trust } from '../../session/handshake.ts';
import { hkdfSha256 } from '../../session/hkdf.ts';
import type { Primitives } from '../../session/session.ts';
import { SessionManager } from '../../session/sessionManager.ts';
import type { Clock } from '../../session/transport.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import type { Evidence } from '../../shared/evidence.ts';
import type { ApprovedImage, FromProxy, ImageRules } from '../../shared/messages.ts';
import type { Log } from '../process/log.ts';
import { imageOf, listedSince, summarizeAttestation } from './attestationSummary.ts';
import { describeHandshakeFailure } from './describeError.ts';
import { EvidenceKeeper } from './evidenceKeeper.ts';
import { ImageGate } from './imageGate.ts';
import type { Network } from './network.ts';
import { createHistoryLoader } from './pcrHistory.ts';
import { UndiciTransport } from './undiciTransport.ts';

export type ConnectionEvent = Extract<
  FromProxy,
  { type: 'verified' | 'confirmImage' | 'sessionLost' | 'handshakeFailed' }
>;

export interface ConnectionOptions {
  readonly settings: Pick<ProxyConfig, 'backend' | 'policy'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The time limit of a handshake, in milliseconds; read for each handshake. */
  readonly handshakeTimeout: () => number;
  readonly network: Network;
  readonly onEvent: (event: ConnectionEvent) => void;
  /** Undefined: every image that is approved is used. */
  readonly images?: ImageRules | undefined;
  readonly primitives?: Primitives;
  readonly anchors?: TrustAnchors;
}

export interface BackendConnection {
  readonly sessions: SessionManager;
  readonly transport: UndiciTransport;
  /** Of the live session; without one, of the last handshake that got a document. Null: there was none. */
  evidence(): Evidence | null;
  /** Whether a handshake waits for the user's consent to an image. */
  readonly awaitsConsent: () => boolean;
  /** Uses these rules from now on, also for an image that waits for consent. Ends a session that they do not allow. */
  readonly updateImages: (rules: ImageRules) => void;
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
  const history = createHistoryLoader(settings.policy.environment, historyDispatcher, clock);
  const trust: Trust = settings.backend.verified
    ? { kind: 'nitro', anchors, policy: settings.policy, history }
    : { kind: 'development' };
  const evidence = new EvidenceKeeper({ backend: settings.backend, anchors, policy: settings.policy });
  /** A pinned image may be in the history as well. */
  const findListing = async ({
    pcr0,
    approvedBy,
    listedSince: known = null,
  }: ApprovedImage): Promise<number | null> => {
    if (approvedBy !== 'pinned') return known;
    const loaded = await history(pcr0).catch(() => undefined);
    return listedSince(loaded?.entryOf(pcr0));
  };
  const gate = new ImageGate({
    clock,
    rules: options.images,
    findListing,
    onNewImage: (image) => {
      log.warn('new_image', { ...image });
      onEvent({ type: 'confirmImage', image });
    },
  });
  const sessions = new SessionManager({
    clock,
    connect: async () => {
      await network.ready; // its time is not that of the handshake
      const session = await performHandshake({
        transport,
        primitives,
        trust,
        clock,
        timeout: handshakeTimeout,
        onRefused: evidence.refused,
      });
      const { attestation } = session;
      evidence.established(attestation);
      try {
        if (attestation.kind === 'verified') await gate.pass(imageOf(attestation.enclave));
        return session;
      } catch (error) {
        session.destroy(); // before anything was sent on it
        throw error;
      }
    },
    onEstablished: (session) => {
      const summary = summarizeAttestation(session.attestation);
      const establishedAt = Date.now();
      if (summary.kind === 'verified') {
        const { environment, pcr0, approvedBy, moduleId } = summary;
        log.info('session', { verified: true, environment, pcr0, approvedBy, moduleId });
      } else {
        log.info('session', { verified: false, note: 'development backend, not verified' });
      }
      const isChange = summary.kind === 'verified' && gate.isChange(summary.pcr0);
      if (!isChange || summary.approvedBy !== 'pinned') {
        onEvent({ type: 'verified', verified: summary, establishedAt });
        return;
      }
      onEvent({ type: 'verified', verified: { ...summary, listedSince: undefined }, establishedAt });
      void findListing(summary).then((date) => {
        if (sessions.current() !== session) return;
        onEvent({ type: 'verified', verified: { ...summary, listedSince: date }, establishedAt });
      });
    },
    onLost: (reason) => {
      log.info('session_lost', { reason });
      if (reason === 'slept') transport.renew(); // the old connections may be dead without an error
      onEvent({ type: 'sessionLost', reason });
    },
    onFailed: (error) => {
      const failure = describeHandshakeFailure(error, settings.backend.basePath);
      log.error('handshake_failed', failure);
      if (error.code === 'timeout') transport.renew(); // the network may have changed without an error
      onEvent({ type: 'handshakeFailed', ...failure });
    },
  });
  return {
    sessions,
    transport,
    evidence: () => evidence.of(sessions.current()?.attestation),
    awaitsConsent: () => gate.isWaiting,
    updateImages: (rules) => {
      gate.update(rules);
      const live = sessions.current();
      if (live?.attestation.kind !== 'verified') return;
      const { pcr0 } = live.attestation.enclave;
      if (!gate.allows(pcr0)) sessions.retire(live, 'closed');
    },
    close: async () => {
      gate.close();
      sessions.close();
      network.close();
      await Promise.all([transport.close(), historyDispatcher.destroy()]);
    },
  };
}
