// Which of our models side prompts should go to. Pure.
import { fieldsOf } from '../../shared/json.ts';
import type { ChatModel } from '../models.ts';
import type { OfferedModel } from './facts.ts';

/** The models that side prompts should go to. */
export interface SealingModels {
  /** For utility prompts: small and fast. */
  readonly utility: OfferedModel;
  /** For agents and inline chat: calls tools. */
  readonly agent: OfferedModel;
}

/** Our models in the order of the backend, and what the backend says about them. */
export interface ModelList {
  readonly offered: readonly OfferedModel[];
  readonly known: readonly ChatModel[];
  /** The parsed body of `GET /v1/models`. */
  readonly list: unknown;
}

/** The models that are recommended; undefined while none is offered. */
export function proposeModels(models: ModelList): SealingModels | undefined {
  const [utility, agent] = [proposeUtilityModel(models), proposeAgentModel(models)];
  return utility === undefined || agent === undefined ? undefined : { utility, agent };
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
