// The checks of an attestation in the order in which they run, and what a status says about each. Pure.
import { CHECKS, CHECK_IDS, failuresOf } from '../shared/checks.ts';
import type { CheckGroup, CheckId } from '../shared/checks.ts';
import type { VerifiedSummary } from '../shared/messages.ts';
import type { ConnectionFailure } from '../shared/ownership.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { isoTime } from './text.ts';

interface Step {
  /** In the evidence; the last step is not part of it. */
  readonly id: CheckId | 'session_id';
  readonly group: CheckGroup;
  readonly what: string;
  /** What was found, once the check has passed. */
  readonly found: (verified: VerifiedSummary) => string;
  /** The error codes that mean that this check failed. */
  readonly failures: readonly string[];
}

/** What the interface says of some checks in its own words. */
const WORDS: Readonly<Partial<Record<CheckId, Partial<Pick<Step, 'what' | 'found'>>>>> = {
  trusted_root: { what: `${CHECKS.trusted_root.title} of AWS` },
  certificate_validity: {
    found: ({ certificateNotBefore, certificateNotAfter }) =>
      `Last certificate: ${isoTime(certificateNotBefore)} to ${isoTime(certificateNotAfter)}`,
  },
  image_approved: { found: approvedBy },
};

export const STEPS: readonly Step[] = [
  ...CHECK_IDS.map((id) => {
    const { group, title, found } = CHECKS[id];
    return { id, group, what: title, found: () => found, failures: failuresOf(id), ...WORDS[id] };
  }),
  {
    id: 'session_id',
    group: 'keys',
    what: 'The session ID is derived from these keys',
    found: () => '',
    failures: ['weak_public_key', 'session_id_mismatch'],
  },
];

/** One check and its result. */
export interface StepOutcome {
  readonly what: string;
  readonly result: 'passed' | 'failed' | 'notReached' | 'notChecked';
  /** What was found by a check that has passed in the current session, in a few words; may be empty. */
  readonly found: string;
}

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
  const { failure } = health;
  return STEPS.findIndex((step) => isFailureOf(step, failure));
}

/** Whether a failed connection means that this check failed. */
export function isFailureOf({ failures }: Step, { code, detail }: ConnectionFailure): boolean {
  return failures.includes(detail ?? code) || failures.includes(code);
}

/** What approved the image, in a few words. */
export function approvedBy({ environment, approvedBy: source }: VerifiedSummary): string {
  return {
    pinned: `On the ${environment} list built into the extension`,
    additional: 'Added by you (sealedProxy.additionalPcr0)',
    history: `In the signed history of ${environment} images`,
  }[source];
}
