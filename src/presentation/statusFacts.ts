// The facts about a running proxy, for the tooltip and the dashboard. Pure.
import type { AttestationSummary } from '../shared/messages.ts';
import type { RunningStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { clockTime, shortPcr0 } from './text.ts';

export interface StatusFact {
  readonly name: string;
  readonly value: string;
  /** The term in the glossary that explains the name. */
  readonly term?: string;
}

export function statusFacts(status: RunningStatus): readonly StatusFact[] {
  const { url, backendUrl, verified, establishedAt, health, version, shared } = status;
  return [
    { name: 'Base URL', term: 'Base URL', value: `${url}/v1` },
    ...(health.kind === 'connected' ? [{ name: 'Models', value: String(health.models.length) }] : []),
    { name: 'Backend', term: 'Backend', value: backendUrl },
    ...attestationFacts(verified, establishedAt),
    ...('checkedAt' in health ? [{ name: 'Last check', value: clockTime(health.checkedAt) }] : []),
    ...(shared ? [{ name: 'Proxy', value: 'running in another window' }] : []),
    { name: 'Version', value: version === VERSION ? version : `${version} (this window has ${VERSION})` },
  ];
}

function attestationFacts(verified: AttestationSummary | null, establishedAt: number | null): readonly StatusFact[] {
  const attestation = { name: 'Attestation', term: 'Attestation' };
  if (verified === null) return [{ ...attestation, value: 'not verified' }];
  if (verified.kind === 'development') return [{ ...attestation, value: 'not verified (development backend)' }];
  const { approvedBy, environment, pcr0, moduleId, certificateNotAfter } = verified;
  return [
    {
      ...attestation,
      value: `verified, ${approvedBy === 'additional' ? 'image added by you' : `${environment} image`}`,
    },
    { name: 'PCR0', term: 'PCR0', value: shortPcr0(pcr0) },
    { name: 'Enclave ID', term: 'Enclave', value: moduleId },
    ...(establishedAt === null ? [] : [{ name: 'Session since', term: 'Session', value: clockTime(establishedAt) }]),
    {
      name: 'Certificate valid until',
      term: 'Certificate chain',
      value: new Date(certificateNotAfter).toLocaleString(),
    },
  ];
}
