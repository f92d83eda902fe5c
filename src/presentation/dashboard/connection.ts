// The state of the connection and the models, as the dashboard shows them. Pure.
import type { ConnectionSection, Fact, ModelRow, Tone } from '../../dashboard/model.ts';
import { asPlain } from '../../shared/escape.ts';
import { isConnected } from '../../shared/status.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import { COMMANDS } from '../commands.ts';
import { statusFacts } from '../statusFacts.ts';
import { describeStatus } from '../statusText.ts';
import type { StatusView } from '../statusText.ts';

/** A chat model of the backend; sizes in tokens. */
export interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  readonly images: boolean;
  readonly reasoning: boolean;
}

/** The longest paragraph, in characters. */
const LONGEST_SENTENCES = 1000;

/** @param models those for chat; empty unless the proxy is connected */
export function connectionSection(status: ProxyStatus, models: readonly ModelFacts[]): ConnectionSection {
  const view = describeStatus(status);
  return {
    tone: toneOf(status, view),
    headline: asPlain(view.headline, LONGEST_SENTENCES),
    detail: asPlain(view.detail, LONGEST_SENTENCES),
    buttons: view.actions.map((name) => ({ name, title: COMMANDS[name].title })),
    facts: status.kind === 'running' ? statusFacts(status).map(toFact) : [],
    models: [...models.map(modelRow), ...otherModels(status, models)],
  };
}

/** Green only for a verified enclave. */
function toneOf(status: ProxyStatus, { severity }: StatusView): Tone {
  if (severity !== 'none') return severity;
  return isConnected(status) && status.verified?.kind === 'verified' ? 'good' : 'neutral';
}

function toFact({ name, value }: Fact): Fact {
  return { name, value: asPlain(value) };
}

function modelRow({ id, name, maxInputTokens, maxOutputTokens, tools, images, reasoning }: ModelFacts): ModelRow {
  const capabilities = [tools ? 'Tools' : '', images ? 'Images' : '', reasoning ? 'Reasoning' : ''];
  return {
    id: asPlain(id),
    name: asPlain(name),
    contextWindow: maxInputTokens + maxOutputTokens,
    maxOutput: maxOutputTokens,
    capabilities: capabilities.filter((text) => text !== ''),
  };
}

function otherModels(status: ProxyStatus, chatModels: readonly ModelFacts[]): readonly ModelRow[] {
  if (!isConnected(status)) return [];
  const others = status.health.models.filter((id) => !chatModels.some((model) => model.id === id));
  return others.map((id) => ({
    id: asPlain(id),
    name: asPlain(id),
    contextWindow: null,
    maxOutput: null,
    capabilities: ['Not for chat'],
  }));
}
