// Keeps what the last handshakes sent and received, and makes their evidence when it is asked for.
import { approvalOf, makeEvidence } from '../../attestation/evidence.ts';
import type { Presented } from '../../attestation/evidence.ts';
import type { ApprovedAttestation, Pcr0Policy } from '../../attestation/policy.ts';
import type { TrustAnchors } from '../../attestation/trust.ts';
import type { AttestationResult } from '../../session/handshake.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { VERSION } from '../../shared/version.ts';

export interface EvidenceKeeperOptions {
  readonly backend: { readonly origin: string; readonly basePath: string };
  readonly anchors: TrustAnchors;
  readonly policy: Pcr0Policy;
}

export class EvidenceKeeper {
  readonly #options: EvidenceKeeperOptions;
  #last: { readonly presented: Presented; readonly approved: ApprovedAttestation | undefined } | undefined;
  /** The latest evidence that was made: the dashboard asks for it again and again. */
  #made: { readonly presented: Presented; readonly evidence: Evidence } | undefined;

  constructor(options: EvidenceKeeperOptions) {
    this.#options = options;
  }

  /** A handshake has made a session. */
  established(attestation: AttestationResult): void {
    if (attestation.kind === 'verified') this.#last = { presented: attestation, approved: attestation.approved };
  }

  /** The attestation has refused the document of a handshake. */
  readonly refused = (presented: Presented, approved: ApprovedAttestation | undefined): void => {
    this.#last = { presented, approved };
  };

  /**
   * The evidence of the live session; without one, of the last handshake that got a document. Null if there is none.
   * @param live what the handshake of the live session has verified
   */
  of(live: AttestationResult | undefined): Evidence | null {
    if (live?.kind === 'verified') return this.#make(live, live.approved);
    return this.#last === undefined ? null : this.#make(this.#last.presented, this.#last.approved);
  }

  #make(presented: Presented, approved: ApprovedAttestation | undefined): Evidence {
    if (this.#made?.presented === presented) return this.#made.evidence;
    const { backend, anchors, policy } = this.#options;
    const approval = approved === undefined ? null : approvalOf(approved);
    const url = backend.origin + backend.basePath;
    const evidence = makeEvidence({ ...presented, version: VERSION, backend: url, anchors, policy, approval });
    this.#made = { presented, evidence };
    return evidence;
  }
}
