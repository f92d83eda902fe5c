// src/attestation: bytes in, verdict out. No network, no clock, no log.
import { toHex } from '../shared/bytes.ts';
import { AttestationError } from './errors.ts';
import type { PcrHistory } from './history.ts';
import { PINS, type Environment } from './pins.ts';
import type { VerifiedAttestation } from './verify.ts';

/** SHA-384 as hex. */

/** What Nitro reports of an enclave in debug mode, whose memory and console the host can read. */
const DEBUG_MODE_PCR0 = '0'.repeat(96);

/** Which enclave images may be talked to. */
export interface Pcr0Policy {
  readonly environment: Environment;
  /** PCR0 values that the user adds, as `parsePcr0` returns them. */
  readonly additional: readonly string[];
}

export type ApprovalSource = 'pinned' | 'additional' | 'history';

/** Carried by what the approve functions return and by nothing else: it cannot be written outside this file. */
const approved = Symbol('approved attestation');

/** A verified document of an enclave image that the policy knows. */
export interface ApprovedAttestation {
  readonly [approved]: true;
  readonly attestation: VerifiedAttestation;
  readonly environment: Environment;
  /** The measurement of the enclave image, 96 lower-case hex digits. */
  readonly pcr0: string;
  readonly source: ApprovalSource;
}

/**
 * Judges PCR0 by what is known without the network: the pins of the environment, then the user's own values.
 *
 * @returns undefined if neither knows it: fetch `PINS[environment].historyUrl`, then ask `approveByHistory`
 * @throws AttestationError `debug_mode`, `pcr0_not_approved` (the document measures no image at all)
 */
export function approveByPolicy(attestation: VerifiedAttestation, policy: Pcr0Policy): ApprovedAttestation | undefined {
  const pcr0 = measuredImage(attestation);
  const source = localSource(pcr0, policy);
  return source && { [approved]: true, attestation, environment: policy.environment, pcr0, source };
}

/**
 * Judges PCR0 by the signed history of the policy's environment, after `approveByPolicy` found nothing.
 *
 * @throws AttestationError `debug_mode`, `pcr0_not_approved`, `history_invalid` (it is the other environment's)
 */
export function approveByHistory(
  attestation: VerifiedAttestation,
  { environment }: Pcr0Policy,
  history: PcrHistory,
): ApprovedAttestation {
  const pcr0 = measuredImage(attestation);
  if (history.environment !== environment) {
    throw new AttestationError(
      'history_invalid',
      `the ${history.environment} history cannot approve for ${environment}`,
    );
  }
  // The makers sign both histories with one key, and the signature does not name the environment: what is known to be an
  // image of the other one is refused, whatever list it stands in.
  const elsewhere = PINS[environment === 'production' ? 'development' : 'production'].pcr0;
  if (elsewhere.includes(pcr0) || !history.approves(pcr0)) {
    throw new AttestationError(
      'pcr0_not_approved',
      `the enclave runs an image that is not approved for ${environment}, with PCR0 ${pcr0}`,
    );
  }
  return { [approved]: true, attestation, environment, pcr0, source: 'history' };
}

function localSource(pcr0: string, { environment, additional }: Pcr0Policy): ApprovalSource | undefined {
  if (PINS[environment].pcr0.includes(pcr0)) return 'pinned';
  return additional.includes(pcr0) ? 'additional' : undefined;
}

/** PCR0 as hex. Debug mode is refused here, before any list is looked at: no pin, user or history can allow it. */
function measuredImage({ pcrs }: VerifiedAttestation): string {
  const pcr0 = pcrs.get(0);
  if (pcr0 === undefined) throw new AttestationError('pcr0_not_approved', 'the attestation document has no PCR0');
  const hex = toHex(pcr0);
  if (hex === DEBUG_MODE_PCR0) throw new AttestationError('debug_mode', 'the enclave runs in debug mode');
  return hex;
}
