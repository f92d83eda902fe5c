// Statuses of a running proxy.
import type { AttestationSummary } from '../../src/shared/messages.ts';
import type { RunningStatus } from '../../src/shared/status.ts';

/** Milliseconds since 1970. */
export const AT = Date.UTC(2026, 0, 15, 12);

export const VERIFIED: Extract<AttestationSummary, { kind: 'verified' }> = {
  kind: 'verified',
  environment: 'production',
  pcr0: 'ab'.repeat(48),
  approvedBy: 'pinned',
  moduleId: 'i-1-enc2',
  timestamp: AT,
  certificateNotBefore: AT - 1000,
  certificateNotAfter: AT + 3_600_000,
  document: 'QUJDREVG'.repeat(100),
};

/** Connected to a verified enclave, unless `change` says otherwise. */
export function runningStatus(change: Partial<RunningStatus> = {}): RunningStatus {
  return {
    kind: 'running',
    url: 'http://127.0.0.1:14114',
    port: 14114,
    version: '1.2.3',
    shared: false,
    backendUrl: 'https://enclave.example',
    verified: VERIFIED,
    establishedAt: AT,
    health: { kind: 'connected', models: ['a', 'b'], catalogue: null, checkedAt: AT },
    ...change,
  };
}

/** The handshake failed with this code. */
export function refusedFor(code: string, detail: string | null, message = 'It was refused'): RunningStatus {
  const failure = { at: AT, code, detail, message };
  return runningStatus({
    verified: null,
    establishedAt: null,
    health: { kind: 'unreachable', cause: 'attestation', message, failure, checkedAt: AT, retryAt: null },
  });
}
