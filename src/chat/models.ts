// The backend's list of models in the form that the editor needs. Pure.
import { plural } from '../presentation/text.ts';
import { REASONING_EFFORTS, parseEffort } from '../settings/modelOverrides.ts';
import type { ModelOverrides, ReasoningEffort } from '../settings/modelOverrides.ts';
import { fieldsOf } from '../shared/json.ts';
import { chatModelEntries, contextWindow, firstText, modelEntries, reasons, sizeOf } from '../shared/modelList.ts';
import type { ModelFields } from '../shared/modelList.ts';
import type { ConnectedStatus } from '../shared/status.ts';

/** The sizes of a model for which neither the backend nor the user states any, in tokens. */
export const DEFAULT_CONTEXT = 128_000;
export const DEFAULT_OUTPUT = 16_384;

/** A chat model. Sizes in tokens; input and output together fit into the context window. */
export interface ChatModel {
  readonly id: string;
  readonly name: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  readonly images: boolean;
  readonly reasoning: boolean;
  /** What the user has set for a model that reasons. */
  readonly reasoningEffort?: ReasoningEffort;
}

/**
 * The chat models of a list, in its order. Other models (embeddings, speech) are left out. A model without any metadata is
 * assumed to chat and to call tools.
 * @param list the parsed body of `GET /v1/models`
 */
export function chatModels(list: unknown, overrides: ModelOverrides): ChatModel[] {
  return chatModelEntries(list).map((model) => toChatModel(model, fieldsOf(fieldsOf(overrides)[model.id])));
}

/**
 * A sentence for each chat model of a list for which the user has set a reasoning effort that cannot be sent.
 * @param list the parsed body of `GET /v1/models`
 */
export function ignoredEfforts(list: unknown, overrides: ModelOverrides): string[] {
  return chatModelEntries(list).flatMap((model) => {
    const effort = fieldsOf(fieldsOf(overrides)[model.id])['reasoningEffort'];
    if (effort === undefined) return [];
    const prefix = `The reasoningEffort of ${model.id} in sealedProxy.modelOverrides is ignored: `;
    if (!reasons(model)) return [`${prefix}the backend does not report that this model reasons.`];
    if (parseEffort(effort) !== undefined) return [];
    return [`${prefix}it must be one of ${REASONING_EFFORTS.join(', ')}.`];
  });
}

/** How many models a backend has, as the lists of models to choose from count them: "6 chat models, 2 others". */
export function countModels({ models, catalogue }: Pick<ConnectedStatus['health'], 'models' | 'catalogue'>): string {
  const chat = chatModelEntries(catalogue).length;
  const others = Math.max(0, models.length - chat);
  const counted = `${chat} chat ${plural(chat, 'model')}`;
  return others === 0 ? counted : `${counted}, ${others} ${plural(others, 'other')}`;
}

/** The id of the first embedding model of a list, or undefined. */
export function embeddingModel(list: unknown): string | undefined {
  const found = modelEntries(list).find(({ id, tasks }) =>
    Array.isArray(tasks) ? tasks.includes('embed') : typeof id === 'string' && /embed/i.test(id),
  );
  return typeof found?.['id'] === 'string' && found['id'] !== '' ? found['id'] : undefined;
}

/**
 * The name of a model in the editor's list, where a model of another provider may have the same name.
 * @param attested false for a development backend, which is not verified
 */
export function nameInEditor({ name }: ChatModel, attested: boolean): string {
  return `${attested ? 'Sealed' : 'Development'} ${name}`;
}

/**
 * A sentence about a model for the user.
 * @param attested false for a development backend, which is not verified
 */
export function describeModel({ name, reasoning }: ChatModel, attested: boolean): string {
  const destination = attested ? 'go only to a verified enclave' : 'go to a development backend, which is not verified';
  const text = `${name} through Sealed Proxy. Prompts are encrypted and ${destination}.`;
  return reasoning ? `${text} It reasons before it answers.` : text;
}

/** For a row of a list: the context, in thousands of tokens, and what the model can do. */
export function describeCapabilities(model: ChatModel): string {
  const { maxInputTokens, maxOutputTokens, tools, images, reasoning } = model;
  const context = Math.round((maxInputTokens + maxOutputTokens) / 1000);
  return [
    `${context.toLocaleString('en-US')}k tokens of context`,
    tools ? 'calls tools' : 'calls no tools, so an agent cannot read or change files with it',
    ...(images ? ['reads images'] : []),
    ...(reasoning ? ['reasons'] : []),
  ].join(' · ');
}

type Fields = Readonly<Record<string, unknown>>;

function toChatModel(model: ModelFields, override: Fields): ChatModel {
  const capabilities = fieldsOf(model['capabilities']);
  const tasks = Array.isArray(model['tasks']) ? model['tasks'] : [];
  const context = sizeOf(override['contextWindow']) ?? contextWindow(model) ?? DEFAULT_CONTEXT;
  const stated = sizeOf(override['maxOutputTokens']) ?? sizeOf(model['max_output_tokens']) ?? DEFAULT_OUTPUT;
  const maxOutputTokens = Math.min(stated, Math.max(1, Math.floor(context / 4)));
  const effort = parseEffort(override['reasoningEffort']);
  return {
    id: model.id,
    name: firstText(model['display_name'], model['short_name'], model.id),
    maxInputTokens: Math.max(1, context - maxOutputTokens),
    maxOutputTokens,
    tools: firstBoolean(override['tools'], capabilities['tool_use']) ?? true,
    images: firstBoolean(override['images'], capabilities['vision']) ?? tasks.includes('vision'),
    reasoning: reasons(model),
    ...(reasons(model) && effort !== undefined && { reasoningEffort: effort }),
  };
}

function firstBoolean(...values: readonly unknown[]): boolean | undefined {
  return values.find((value) => typeof value === 'boolean');
}
