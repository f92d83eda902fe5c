// Keeps what the last handshakes sent and received, and makes their evidence when it is asked for.
import { makeEvidence } from '../../attestation/evidence.ts';
import type { Presented } from '../../attestation/evidence.ts';
import { approveImage } from '../../attestation/policy.ts';
import type { Pcr0Policy } from '../../attestation/policy.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import type { AttestationResult } from '../../session/session.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { VERSION } from '../../shared/version.ts';

export interface EvidenceKeeperOptions {
  readonly backend: { readonly origin: string; readonly basePath: string };
  readonly anchors: TrustAnchors;
  readonly policy: Pcr0Policy;
}

export class EvidenceKeeper {
  readonly #options: EvidenceKeeperOptions;
  #last: Presented | undefined;
  /** The latest evidence that was made: the dashboard asks for it again and again. */
  #made: { readonly presented: Presented; readonly evidence: Evidence } | undefined;

  constructor(options: EvidenceKeeperOptions) {
    this.#options = options;
  }

  /** A handshake has made a session. */
  established(attestation: AttestationResult): void {
    if (attestation.kind === 'verified') this.#last = attestation.presented;
  }

  /** The attestation has refused the document of a handshake. */
  readonly refused = (presented: Presented): void => {
    this.#last = presented;
  };

  /**
   * The evidence of the live session; without one, of the last handshake that got a document. Null if there is none.
   * @param live what the handshake of the live session has verified
   */
  of(live: AttestationResult | undefined): Evidence | null {
    const presented = live?.kind === 'verified' ? live.presented : this.#last;
    return presented === undefined ? null : this.#make(presented);
  }

  #make(presented: Presented): Evidence {
    if (this.#made?.presented === presented) return this.#made.evidence;
    const { backend, anchors, policy } = this.#options;
    const evidence = makeEvidence({
      ...presented,
      version: VERSION,
      backend: backend.origin + backend.basePath,
      anchors,
      environment: policy.environment,
      approve: (pcr0) => approveImage(pcr0, policy, presented.history),
    });
    this.#made = { presented, evidence };
    return evidence;
  }
}
