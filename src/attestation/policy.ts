import { toHex } from '../shared/bytes.ts';
import type { AttestationDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import type { HistoryEntry, PcrHistory } from './history.ts';
import { type Environment, PINS } from './pins.ts';
import type { VerifiedAttestation } from './verify.ts';

/** Nitro's PCR0 of an enclave in debug mode, whose memory and console the host can read. */
const DEBUG_MODE_PCR0 = '0'.repeat(96);

/** Which enclave images to trust. */
export interface Pcr0Policy {
  readonly environment: Environment;
  /** PCR0 values that the user adds, as `parsePcr0` returns them. */
  readonly additional: readonly string[];
}

export type ApprovalSource = 'pinned' | 'additional' | 'history';

/** Only the approve functions can set this property, so code outside this file cannot make an ApprovedAttestation. */
const approved = Symbol('approved attestation');

/** A verified document of an enclave image that the policy approves. */
export interface ApprovedAttestation {
  readonly [approved]: true;
  readonly attestation: VerifiedAttestation;
  readonly environment: Environment;
  /** The measurement of the enclave image, 96 lower-case hex digits. */
  readonly pcr0: string;
  readonly source: ApprovalSource;
  /** What the history says about the image, if that approved it. */
  readonly entry?: HistoryEntry;
}

/**
 * Approves PCR0 without the network: by the pins of the environment, then by the user's own values (transport V2,
 * section 4).
 *
 * @returns undefined if neither has it: fetch `PINS[environment].historyUrl`, then call `approveByHistory`
 * @throws AttestationError `debug_mode`, `pcr0_not_approved` (the document has no PCR0)
 */
export function approveByPolicy(attestation: VerifiedAttestation, policy: Pcr0Policy): ApprovedAttestation | undefined {
  const pcr0 = measuredImage(attestation);
  const source = localSource(pcr0, policy);
  return source && { [approved]: true, attestation, environment: policy.environment, pcr0, source };
}

/**
 * Approves PCR0 by the signed history of the policy's environment, after `approveByPolicy` returned undefined.
 *
 * @throws AttestationError `debug_mode`, `pcr0_not_approved`, `history_invalid` (for the other environment's history)
 */
export function approveByHistory(
  attestation: VerifiedAttestation,
  { environment }: Pcr0Policy,
  history: PcrHistory,
): ApprovedAttestation {
  const pcr0 = measuredImage(attestation);
  const entry = requireListed(pcr0, environment, history);
  return { [approved]: true, attestation, environment, pcr0, source: 'history', entry };
}

/**
 * The entry of a signed history that approves PCR0 for an environment.
 *
 * @throws AttestationError `pcr0_not_approved`, `history_invalid` (for the other environment's history)
 */
export function requireListed(pcr0: string, environment: Environment, history: PcrHistory | undefined): HistoryEntry {
  if (history !== undefined && history.environment !== environment) {
    throw new AttestationError(
      'history_invalid',
      `the ${history.environment} history cannot approve for ${environment}`,
    );
  }
  // One key signs both histories, and the signature does not cover the environment. An image that is pinned for the
  // other environment is therefore rejected even if this history contains it.
  const elsewhere = PINS[environment === 'production' ? 'development' : 'production'].pcr0;
  const entry = history?.entryOf(pcr0);
  if (elsewhere.includes(pcr0) || entry === undefined) {
    throw new AttestationError(
      'pcr0_not_approved',
      `the enclave runs an image that is not trusted for ${environment}, with PCR0 ${pcr0}`,
    );
  }
  return entry;
}

/** What approves PCR0 without a history: the pins of the environment, then the user's own values. */
export function localSource(pcr0: string, { environment, additional }: Pcr0Policy): ApprovalSource | undefined {
  if (PINS[environment].pcr0.includes(pcr0)) return 'pinned';
  return additional.includes(pcr0) ? 'additional' : undefined;
}

/**
 * PCR0 as hex. Rejects debug mode before any list is consulted: no pin, user value or history can allow it.
 *
 * @throws AttestationError `debug_mode`, `pcr0_not_approved` (the document has no PCR0)
 */
export function measuredImage({ pcrs }: Pick<AttestationDocument, 'pcrs'>): string {
  const pcr0 = pcrs.get(0);
  if (pcr0 === undefined) throw new AttestationError('pcr0_not_approved', 'the attestation document has no PCR0');
  const hex = toHex(pcr0);
  if (hex === DEBUG_MODE_PCR0) throw new AttestationError('debug_mode', 'the enclave runs in debug mode');
  return hex;
}
