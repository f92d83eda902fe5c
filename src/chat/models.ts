// What the backend says of its models, as the editor wants to know it. Pure.
import { fieldsOf } from '../shared/json.ts';
import type { ModelOverrides } from '../settings/modelOverrides.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import type { Translate } from '../presentation/statusText.ts';

/** How many tokens a model takes and gives where nobody says it. */
export const DEFAULT_CONTEXT = 128_000;
export const DEFAULT_OUTPUT = 16_384;

/** It is pasted into terminals and written into other programs' files: no marks that steer either, and no end of length. */
const ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

/** A chat model. Sizes in tokens; input and output together fit into the context. */
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
 * The chat models of a list, in its order. Whatever else a backend lists (embeddings, speech) is left out; a model of
 * which nothing is said is taken for one that chats and calls tools.
 * @param list the parsed body of `GET /v1/models`
 */
export function chatModels(list: unknown, overrides: ModelOverrides): ChatModel[] {
  const data = fieldsOf(list)['data'];
  if (!Array.isArray(data)) return [];
  const models = data.map(fieldsOf).filter(chats);
  return models.map((model) => describe(model, fieldsOf(fieldsOf(overrides)[String(model['id'])])));
}

/** The id of the first model of a list that makes embeddings, or undefined. */
export function embeddingModel(list: unknown): string | undefined {
  const data = fieldsOf(list)['data'];
  const models = Array.isArray(data) ? data.map(fieldsOf) : [];
  const found = models.find(({ id, tasks }) =>
    Array.isArray(tasks) ? tasks.includes('embed') : typeof id === 'string' && /embed/i.test(id),
  );
  return typeof found?.['id'] === 'string' && found['id'] !== '' ? found['id'] : undefined;
}

/** How a model is reached, for people: no more is said than was verified. */
export function describeModel(
  { name, reasoning }: ChatModel,
  verified: AttestationSummary | null,
  t: Translate,
): string {
  const where = describeSession(name, verified, t);
  return reasoning ? t('{0}. It reasons before it answers.', where) : where;
}

function describeSession(name: string, verified: AttestationSummary | null, t: Translate): string {
  switch (verified?.kind) {
    case 'verified':
      return t('{0}, over an encrypted session into a verified enclave', name);
    case 'development':
      return t('{0}, over an encrypted session to a development backend, which is not verified', name);
    case undefined:
      return t('{0}, over an encrypted session', name);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function chats(model: Fields): boolean {
  const { id, tasks, capabilities } = model;
  if (typeof id !== 'string' || !ID.test(id)) return false;
  const chat = fieldsOf(capabilities)['chat'];
  if (typeof chat === 'boolean') return chat;
  return Array.isArray(tasks) ? tasks.includes('generate') : !/embed|whisper|tts|rerank/i.test(id);
}

function describe(model: Fields, override: Fields): ChatModel {
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
    tools: firstSwitch(override['tools'], capabilities['tool_use']) ?? true,
    images: firstSwitch(override['images'], capabilities['vision']) ?? tasks.includes('vision'),
    reasoning: capabilities['reasoning'] === true,
  };
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function firstSwitch(...values: readonly unknown[]): boolean | undefined {
  return values.find((value) => typeof value === 'boolean');
}

/** One line, of a length that fits into a list. */
function firstText(...values: readonly unknown[]): string {
  const text = values.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? '';
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
}
