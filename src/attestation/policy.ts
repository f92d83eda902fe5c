// Which enclave images are trusted (transport V2, section 4).
import { toBase64, toHex } from '../shared/bytes.ts';
import type { ImageApproval } from '../shared/evidence.ts';
import type { AttestationDocument } from './document.ts';
import { AttestationError } from './errors.ts';
import type { PcrHistory } from './history.ts';
import { type Environment, PINS } from './pins.ts';

/** Nitro's PCR0 of an enclave in debug mode, whose memory and console the host can read. */
const DEBUG_MODE_PCR0 = '0'.repeat(96);

/** Which enclave images to trust. */
export interface Pcr0Policy {
  readonly environment: Environment;
  /** PCR0 values that the user adds, as `parsePcr0` returns them. */
  readonly additional: readonly string[];
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

/** What approves PCR0 without a history: the pins of the environment, then the user's own values. */
export function localApproval(pcr0: string, { environment, additional }: Pcr0Policy): ImageApproval | undefined {
  if (PINS[environment].pcr0.includes(pcr0)) return { by: 'pin' };
  return additional.includes(pcr0) ? { by: 'setting' } : undefined;
}

/**
 * What approves PCR0: the policy itself, else the signed history of its environment.
 *
 * @param history needed only if `localApproval` is undefined
 * @throws AttestationError `pcr0_not_approved`, `history_invalid` (for the other environment's history)
 */
export function approveImage(pcr0: string, policy: Pcr0Policy, history: PcrHistory | undefined): ImageApproval {
  return localApproval(pcr0, policy) ?? listedApproval(pcr0, policy, history);
}

function listedApproval(pcr0: string, { environment }: Pcr0Policy, history: PcrHistory | undefined): ImageApproval {
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
  const { pcr1, pcr2, timestamp, signature } = entry;
  const url = PINS[environment].historyUrl;
  return { by: 'history', url, pcr1, pcr2, timestamp, signature: toBase64(signature) };
}
