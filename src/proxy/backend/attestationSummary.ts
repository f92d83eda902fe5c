import type { AttestationResult } from '../../session/handshake.ts';
import { toBase64 } from '../../shared/bytes.ts';
import type { AttestationSummary } from '../../shared/messages.ts';

/** The result of a handshake's attestation, in the form that the extension stores and shows. */
export function summarizeAttestation(result: AttestationResult): AttestationSummary {
  if (result.kind === 'development') return { kind: 'development', moduleId: result.moduleId ?? null };
  const { attestation, environment, pcr0, source } = result.approved;
  return {
    kind: 'verified',
    environment,
    pcr0,
    approvedBy: source,
    moduleId: attestation.moduleId,
    timestamp: attestation.timestamp,
    certificateNotBefore: attestation.leafNotBefore,
    certificateNotAfter: attestation.leafNotAfter,
    document: toBase64(result.document),
  };
}
