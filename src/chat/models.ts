// The backend's list of models in the form that the editor needs. Pure.
import type { ModelOverrides } from '../settings/modelOverrides.ts';
import { fieldsOf } from '../shared/json.ts';

/** The sizes of a model for which neither the backend nor the user states any, in tokens. */
export const DEFAULT_CONTEXT = 128_000;
export const DEFAULT_OUTPUT = 16_384;

/** An id is pasted into terminals and written into other programs' files: no control characters, limited length. */
const ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

/** A chat model. Sizes in tokens; input and output together fit into the context window. */
export interface ChatModel {
  readonly id: string;
  readonly name: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  readonly images: boolean;
  readonly reasoning: boolean;
}

/**
 * The chat models of a list, in its order. Other models (embeddings, speech) are left out. A model without any metadata is
 * assumed to chat and to call tools.
 * @param list the parsed body of `GET /v1/models`
 */
export function chatModels(list: unknown, overrides: ModelOverrides): ChatModel[] {
  const models = entriesOf(list).filter(isChatModel);
  return models.map((model) => toChatModel(model, fieldsOf(fieldsOf(overrides)[String(model['id'])])));
}

/** The id of the first embedding model of a list, or undefined. */
export function embeddingModel(list: unknown): string | undefined {
  const found = entriesOf(list).find(({ id, tasks }) =>
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

type Fields = Readonly<Record<string, unknown>>;

function entriesOf(list: unknown): readonly Fields[] {
  const data = fieldsOf(list)['data'];
  return Array.isArray(data) ? data.map(fieldsOf) : [];
}

function isChatModel(model: Fields): boolean {
  const { id, tasks, capabilities } = model;
  if (typeof id !== 'string' || !ID.test(id)) return false;
  const chat = fieldsOf(capabilities)['chat'];
  if (typeof chat === 'boolean') return chat;
  return Array.isArray(tasks) ? tasks.includes('generate') : !/embed|whisper|tts|rerank/i.test(id);
}

function toChatModel(model: Fields, override: Fields): ChatModel {
  const capabilities = fieldsOf(model['capabilities']);
  const tasks = Array.isArray(model['tasks']) ? model['tasks'] : [];
  const context =
    sizeOf(override['contextWindow']) ??
    sizeOf(model['context_window']) ??
    sizeOf(model['max_context_tokens']) ??
    sizeOf(model['max_model_len']) ??
    DEFAULT_CONTEXT;
  const stated = sizeOf(override['maxOutputTokens']) ?? sizeOf(model['max_output_tokens']) ?? DEFAULT_OUTPUT;
  const maxOutputTokens = Math.min(stated, Math.max(1, Math.floor(context / 4)));
  return {
    id: String(model['id']),
    name: firstText(model['display_name'], model['short_name'], model['id']),
    maxInputTokens: Math.max(1, context - maxOutputTokens),
    maxOutputTokens,
    tools: firstBoolean(override['tools'], capabilities['tool_use']) ?? true,
    images: firstBoolean(override['images'], capabilities['vision']) ?? tasks.includes('vision'),
    reasoning: capabilities['reasoning'] === true,
  };
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function firstBoolean(...values: readonly unknown[]): boolean | undefined {
  return values.find((value) => typeof value === 'boolean');
}

/** One line, short enough for a list. */
function firstText(...values: readonly unknown[]): string {
  const text = values.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? '';
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
}
