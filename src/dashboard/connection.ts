// The state of the connection and the models, as the dashboard shows them. Pure.
import { chatModels, countModels } from '../chat/models.ts';
import { describeStatus } from '../presentation/statusText.ts';
import type { StatusView } from '../presentation/statusText.ts';
import { clockTime, shortPcr0 } from '../presentation/text.ts';
import type { Fact, Tone } from '../presentation/text.ts';
import type { ModelOverrides } from '../settings/modelOverrides.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import type { ConnectionSection } from './model.ts';

export function connectionSection(status: ProxyStatus, overrides: ModelOverrides): ConnectionSection {
  const view = describeStatus(status);
  const { headline, detail, remedy, actions } = view;
  const health = isConnected(status) ? status.health : undefined;
  const models = health === undefined ? [] : chatModels(health.catalogue, overrides);
  return {
    tone: toneOf(status, view),
    headline,
    detail,
    primary: remedy ?? (health === undefined ? null : 'openChat'),
    actions,
    facts: status.kind === 'running' ? statusFacts(status) : [],
    chatModels: models,
    otherModels: (health?.models ?? []).filter((id) => !models.some((model) => model.id === id)),
  };
}

/** Green only for a verified enclave. */
function toneOf(status: ProxyStatus, { severity }: StatusView): Tone {
  if (severity !== 'none') return severity;
  return isConnected(status) && status.verified?.kind === 'verified' ? 'good' : 'neutral';
}

function statusFacts(status: RunningStatus): readonly Fact[] {
  const { url, backendUrl, verified, establishedAt, health, version, shared } = status;
  return [
    { name: 'Base URL', value: `${url}/v1` },
    ...(health.kind === 'connected' ? [{ name: 'Models', value: countModels(health) }] : []),
    { name: 'Backend', value: backendUrl },
    ...attestationFacts(verified, establishedAt),
    ...('checkedAt' in health ? [{ name: 'Last check', value: clockTime(health.checkedAt) }] : []),
    ...(shared ? [{ name: 'Proxy', value: 'running in another window' }] : []),
    { name: 'Version', value: version === VERSION ? version : `${version} (this window has ${VERSION})` },
  ];
}

function attestationFacts(verified: AttestationSummary | null, establishedAt: number | null): readonly Fact[] {
  if (verified === null) return [{ name: 'Attestation', value: 'not verified' }];
  if (verified.kind === 'development') return [{ name: 'Attestation', value: 'not verified (development backend)' }];
  const { approvedBy, environment, pcr0, moduleId, certificateNotAfter } = verified;
  return [
    {
      name: 'Attestation',
      value: `verified, ${approvedBy === 'additional' ? 'image added by you' : `${environment} image`}`,
    },
    { name: 'PCR0', value: shortPcr0(pcr0) },
    { name: 'Enclave ID', value: moduleId },
    ...(establishedAt === null ? [] : [{ name: 'Session since', value: clockTime(establishedAt) }]),
    { name: 'Certificate valid until', value: new Date(certificateNotAfter).toLocaleString() },
  ];
}
