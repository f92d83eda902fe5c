// The checks of an attestation in the order in which they run, and what a status says about each. Pure.
import type { AttestationStep } from '../dashboard/model.ts';
import { CHECKS } from '../shared/evidence.ts';
import type { CheckId } from '../shared/evidence.ts';
import type { VerifiedSummary } from '../shared/messages.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { isoTime } from './text.ts';

interface Step {
  /** In the evidence; the last step is not part of it. */
  readonly id: CheckId | 'session_id';
  readonly what: string;
  /** What was found, once the check has passed. */
  readonly found: (verified: VerifiedSummary) => string;
  /** The error codes that mean that this check failed. */
  readonly failures: readonly string[];
}

export const STEPS: readonly Step[] = [
  {
    id: 'document_format',
    what: CHECKS.document_format,
    found: () => 'Valid COSE_Sign1',
    failures: ['malformed_document'],
  },
  {
    id: 'trusted_root',
    what: `${CHECKS.trusted_root} of AWS`,
    found: () => 'SHA-256 641a0321…8f79bb5b',
    failures: ['untrusted_root'],
  },
  {
    id: 'certificate_chain',
    what: CHECKS.certificate_chain,
    found: () => 'ECDSA P-384 with SHA-384',
    failures: ['malformed_certificate', 'certificate_algorithm', 'certificate_chain'],
  },
  {
    id: 'document_signature',
    what: CHECKS.document_signature,
    found: () => 'ES384',
    failures: ['signature'],
  },
  {
    id: 'challenge',
    what: CHECKS.challenge,
    found: () => 'Fresh, not a replay',
    failures: ['nonce_mismatch'],
  },
  {
    id: 'certificate_validity',
    what: CHECKS.certificate_validity,
    found: (verified) =>
      `Last certificate: ${isoTime(verified.certificateNotBefore)} to ${isoTime(verified.certificateNotAfter)}`,
    failures: ['certificate_not_yet_valid', 'certificate_expired', 'clock'],
  },
  {
    id: 'debug_mode',
    what: CHECKS.debug_mode,
    found: () => 'PCR0 is not zero',
    failures: ['debug_mode'],
  },
  {
    id: 'image_approved',
    what: CHECKS.image_approved,
    found: approvedBy,
    failures: ['pcr0_not_approved', 'history_invalid', 'history_unavailable'],
  },
  {
    id: 'server_key',
    what: CHECKS.server_key,
    found: () => '',
    failures: ['public_key_mismatch'],
  },
  {
    id: 'client_key',
    what: CHECKS.client_key,
    found: () => '',
    failures: ['user_data_mismatch'],
  },
  {
    id: 'session_id',
    what: 'The session ID is derived from these keys',
    found: () => '',
    failures: ['weak_public_key', 'session_id_mismatch'],
  },
];

/** One check and its result; `found` only for a check that has passed in the current session. */
export type StepOutcome = Pick<AttestationStep, 'what' | 'result' | 'found'>;

/**
 * Every check, in order. For a development backend, only a check that failed has run. An image that waits for consent has
 * passed all of them.
 */
export function stepOutcomes(status: ProxyStatus): readonly StepOutcome[] {
  const verified = status.kind === 'running' && status.verified?.kind === 'verified' ? status.verified : undefined;
  const failed = status.kind === 'running' && verified === undefined ? failedStep(status) : -1;
  const isEnclave = status.kind === 'running' && status.backendUrl.startsWith('https:');
  const isWaiting = status.kind === 'running' && verified === undefined && Boolean(status.newImage);
  return STEPS.map(({ what, found }, index) => {
    if (isWaiting) return { what, result: 'passed', found: '' };
    if (verified !== undefined) return { what, result: 'passed', found: found(verified) };
    if (index === failed) return { what, result: 'failed', found: '' };
    if (failed === -1 || !isEnclave) return { what, result: 'notChecked', found: '' };
    return { what, result: index < failed ? 'passed' : 'notReached', found: '' };
  });
}

/** The index of the check that failed, or -1. */
function failedStep({ health }: RunningStatus): number {
  if (health.kind !== 'unreachable' || health.failure === null) return -1;
  const { code, detail } = health.failure;
  return STEPS.findIndex(({ failures }) => failures.includes(detail ?? code) || failures.includes(code));
}

/** What approved the image, in a few words. */
export function approvedBy({ environment, approvedBy: source }: VerifiedSummary): string {
  return {
    pinned: `On the ${environment} list built into the extension`,
    additional: 'Added by you (sealedProxy.additionalPcr0)',
    history: `In the signed history of ${environment} images`,
  }[source];
}
