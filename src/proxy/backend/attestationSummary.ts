import type { HistoryEntry } from '../../attestation/history.ts';
import type { ApprovedAttestation } from '../../attestation/policy.ts';
import type { AttestationResult } from '../../session/handshake.ts';
import { toBase64 } from '../../shared/bytes.ts';
import type { ApprovedImage, AttestationSummary } from '../../shared/messages.ts';

/** The year 2100, in milliseconds: no date of an image is later. */
const LATEST_DATE = 4_102_444_800_000;

/**
 * The result of a handshake's attestation, in the form that the extension stores and shows. Of an image that another source
 * than the history approved, it does not say since when the history lists it.
 */
export function summarizeAttestation(result: AttestationResult): AttestationSummary {
  if (result.kind === 'development') return { kind: 'development', moduleId: result.moduleId ?? null };
  const { attestation, environment } = result.approved;
  return {
    kind: 'verified',
    environment,
    ...imageOf(result.approved),
    moduleId: attestation.moduleId,
    timestamp: attestation.timestamp,
    certificateNotBefore: attestation.leafNotBefore,
    certificateNotAfter: attestation.leafNotAfter,
    document: toBase64(result.document),
  };
}

/** The image of an enclave, as the user is told of it. */
export function imageOf({ pcr0, source, entry }: ApprovedAttestation): ApprovedImage {
  return { pcr0, approvedBy: source, listedSince: listedSince(entry) };
}

/** The date of an entry in milliseconds since 1970, which nobody has signed; null without one that can be a date. */
export function listedSince(entry: HistoryEntry | undefined): number | null {
  const date = (entry?.timestamp ?? 0) * 1000;
  return date > 0 && date < LATEST_DATE ? date : null;
}
