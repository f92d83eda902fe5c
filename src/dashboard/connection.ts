// The state of the connection and the models, as the dashboard shows them. Pure.
import { chatModels } from '../chat/models.ts';
import { statusFacts } from '../presentation/statusFacts.ts';
import { describeStatus } from '../presentation/statusText.ts';
import type { StatusView } from '../presentation/statusText.ts';
import type { Tone } from '../presentation/text.ts';
import type { ModelOverrides } from '../settings/modelOverrides.ts';
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import type { ConnectionSection } from './model.ts';

export function connectionSection(status: ProxyStatus, overrides: ModelOverrides): ConnectionSection {
  const view = describeStatus(status);
  const { headline, detail, actions } = view;
  const health = isConnected(status) ? status.health : undefined;
  const models = health === undefined ? [] : chatModels(health.catalogue, overrides);
  return {
    tone: toneOf(status, view),
    headline,
    detail,
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
