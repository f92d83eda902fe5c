// What to set so that side prompts go to our models, and which models. Pure.
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../../shared/json.ts';
import type { ChatModel } from '../models.ts';
import { OUR_VENDOR, copilotState, qualifiedName, qualifiedTarget, utilityValue } from './facts.ts';
import type { EditorFacts, OfferedModel } from './facts.ts';
import { SETTINGS, SMALL_UTILITY_ALIAS } from './settings.ts';
import type { SettingName } from './settings.ts';

/** The models that the user chose. */
export interface SealingModels {
  /** For utility prompts: small and fast. */
  readonly utility: OfferedModel;
  /** For agents and inline chat: calls tools. */
  readonly agent: OfferedModel;
}

/** A setting to write. */
export interface SettingChange {
  readonly key: SettingName;
  readonly value: unknown;
}

/** The changes that send side prompts to these models. Settings that have the right value already are left out. */
export function sealingChanges(facts: EditorFacts, { utility, agent }: SealingModels): readonly SettingChange[] {
  const agentName = qualifiedName(agent);
  const wanted: readonly SettingChange[] = [
    { key: SETTINGS.utilitySmall, value: utilityValue(utility) },
    { key: SETTINGS.utility, value: utilityValue(utility) },
    { key: SETTINGS.utilityFallback, value: 'none' },
    { key: SETTINGS.riskModel, value: SMALL_UTILITY_ALIAS },
    { key: SETTINGS.plan, value: agentName },
    { key: SETTINGS.explore, value: agentName },
    { key: SETTINGS.inlineChat, value: agentName },
    // These two follow the selected model unless they are set.
    ...[SETTINGS.ask, SETTINGS.implement]
      .filter((key) => namesOther(facts, key))
      .map((key) => ({ key, value: agentName })),
    { key: SETTINGS.agentHost, value: true },
  ];
  return changed(wanted, facts);
}

/** The changes that turn off what cannot be sealed. */
export function turningOffChanges(facts: EditorFacts): readonly SettingChange[] {
  if (copilotState(facts) === 'disabled') return [];
  const languages = Object.keys(fieldsOf(facts.setting(SETTINGS.ghostText)?.value));
  const wanted: readonly SettingChange[] = [
    { key: SETTINGS.ghostText, value: Object.fromEntries(['*', ...languages].map((name) => [name, false])) },
    { key: SETTINGS.nextEdits, value: false },
    { key: SETTINGS.dictationCleanup, value: false },
  ];
  const explicit = [SETTINGS.searchSubagent, SETTINGS.executionSubagent]
    .filter((key) => facts.setting(key)?.userValue !== false && facts.setting(key) !== undefined)
    .map((key) => ({ key, value: false }));
  return [...changed(wanted, facts), ...explicit];
}

function namesOther(facts: EditorFacts, key: SettingName): boolean {
  const target = qualifiedTarget(facts.setting(key)?.value, facts.models);
  return target.kind !== 'none' && (target.kind !== 'model' || target.model.vendor !== OUR_VENDOR);
}

function changed(changes: readonly SettingChange[], { setting }: EditorFacts): readonly SettingChange[] {
  return changes.filter(({ key, value }) => {
    const current = setting(key);
    return current !== undefined && !isDeepStrictEqual(current.value, value);
  });
}

/** Our models in the order of the backend, and what the backend says about them. */
export interface ModelList {
  readonly offered: readonly OfferedModel[];
  readonly known: readonly ChatModel[];
  /** The parsed body of `GET /v1/models`. */
  readonly list: unknown;
}

/**
 * Proposes a model for utility prompts, which are many, short, and waited for. First come models that answer at once instead
 * of reasoning first, then those that call tools (some utility prompts need it), then those that the backend or their own
 * name calls fast or small, then those with fewer parameters in their name, then the backend's order.
 */
export function proposeUtilityModel(models: ModelList): OfferedModel | undefined {
  const rank = (model: OfferedModel): readonly number[] => {
    const known = models.known.find(({ id }) => id === model.id);
    return [
      Number(known?.reasoning === true),
      Number(known?.tools === false),
      Number(!isCalledFast(model, badgesOf(models.list, model.id))),
      parameters(model),
    ];
  };
  return best(models.offered, rank);
}

/** Proposes a model for agents: it calls tools; first come those that the backend recommends for coding. */
export function proposeAgentModel(models: ModelList): OfferedModel | undefined {
  const rank = ({ id }: OfferedModel): readonly number[] => [
    Number(models.known.find((known) => known.id === id)?.tools === false),
    Number(!badgesOf(models.list, id).some((badge) => /cod/i.test(badge))),
  ];
  return best(models.offered, rank);
}

/** The first of those with the lowest rank; ranks are compared number by number. */
function best(
  models: readonly OfferedModel[],
  rank: (model: OfferedModel) => readonly number[],
): OfferedModel | undefined {
  const compare = (a: readonly number[], b: readonly number[]) => {
    const at = a.findIndex((number, index) => number !== b[index]);
    return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
  };
  return models.toSorted((a, b) => compare(rank(a), rank(b)))[0];
}

function isCalledFast({ id, name }: OfferedModel, badges: readonly string[]): boolean {
  return [...badges, id, name].some((text) => /\b(fast|flash|mini|nano|small|lite|turbo|haiku)\b/i.test(text));
}

/** In billions, as far as the name tells: "Gemma 4 31B" has 31. */
function parameters({ id, name }: OfferedModel): number {
  const found = /(?:^|[^\d.])(\d+(?:\.\d+)?)b\b/i.exec(`${name} ${id}`)?.[1];
  return found === undefined ? Number.MAX_SAFE_INTEGER : Number(found);
}

function badgesOf(list: unknown, id: string): readonly string[] {
  const data = fieldsOf(list)['data'];
  const entry = Array.isArray(data) ? data.map(fieldsOf).find((each) => each['id'] === id) : undefined;
  const badges = entry?.['badges'];
  return Array.isArray(badges) ? badges.filter((badge) => typeof badge === 'string') : [];
}
