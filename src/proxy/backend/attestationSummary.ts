import type { ApprovedEnclave } from '../../attestation/checks.ts';
import type { AttestationResult } from '../../session/session.ts';
import { toBase64 } from '../../shared/bytes.ts';
import type { ApprovedImage, AttestationSummary } from '../../shared/messages.ts';

/** The year 2100, in milliseconds: no date of an image is later. */
const LATEST_DATE = 4_102_444_800_000;

const SOURCES = { pin: 'pinned', setting: 'additional', history: 'history' } as const;

/**
 * The result of a handshake's attestation, in the form that the extension stores and shows. Of an image that another source
 * than the history approved, it does not say since when the history lists it.
 */
export function summarizeAttestation(result: AttestationResult): AttestationSummary {
  if (result.kind === 'development') return { kind: 'development', moduleId: result.moduleId ?? null };
  const { enclave, environment, presented } = result;
  const { moduleId, timestamp } = enclave.document;
  const { notBefore, notAfter } = enclave.chain.leaf;
  return {
    kind: 'verified',
    environment,
    ...imageOf(enclave),
    moduleId,
    timestamp,
    certificateNotBefore: notBefore,
    certificateNotAfter: notAfter,
    document: toBase64(presented.bytes),
  };
}

/** The image of an enclave, as the user is told of it. */
export function imageOf({ pcr0, approval }: Pick<ApprovedEnclave, 'pcr0' | 'approval'>): ApprovedImage {
  return {
    pcr0,
    approvedBy: SOURCES[approval.by],
    listedSince: approval.by === 'history' ? listedSince(approval) : null,
  };
}

/** The date of an entry in milliseconds since 1970, which nobody has signed; null without one that can be a date. */
export function listedSince(entry: { readonly timestamp: number } | undefined): number | null {
  const date = (entry?.timestamp ?? 0) * 1000;
  return date > 0 && date < LATEST_DATE ? date : null;
}
