import type { AttestationResult } from '../../session/handshake.ts';
import { toBase64 } from '../../shared/bytes.ts';
import type { AttestationSummary } from '../../shared/messages.ts';

/** What a handshake proved, in the form that people and the extension read. */
export function summarizeAttestation(evidence: AttestationResult): AttestationSummary {
  if (evidence.kind === 'development') return { kind: 'development', moduleId: evidence.moduleId ?? null };
  const { approved, document } = evidence;
  const { attestation, environment, pcr0, source } = approved;
  return {
    kind: 'verified',
    environment,
    pcr0,
    approvedBy: source,
    moduleId: attestation.moduleId,
    timestamp: attestation.timestamp,
    certificateNotBefore: attestation.leafNotBefore,
    certificateNotAfter: attestation.leafNotAfter,
    document: toBase64(document),
  };
}
