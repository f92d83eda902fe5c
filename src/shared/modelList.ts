// The backend's list of models. Every field but the id may be missing.
import { asPlain } from './escape.ts';
import { fieldsOf } from './json.ts';

export type ModelFields = Readonly<Record<string, unknown>> & { readonly id: string };

/** An id is pasted into terminals and written into other programs' files: no control characters, limited length. */
export const MODEL_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

/** Whether this status of a response to `GET /v1/models` refuses the key. */
export function isKeyRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** The entries of a list as they are, those with an unusable id included. */
export function modelEntries(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  const data = fieldsOf(list)['data'];
  return Array.isArray(data) ? data.map(fieldsOf) : [];
}

/**
 * The entries of chat models. Other models (embeddings, speech) are left out. A model without any metadata is assumed to
 * chat.
 * @param list the parsed body of `GET /v1/models`
 */
export function chatModelEntries(list: unknown): readonly ModelFields[] {
  return modelEntries(list).filter(isChatModel);
}

function isChatModel(model: Readonly<Record<string, unknown>>): model is ModelFields {
  const { id, tasks, capabilities } = model;
  if (typeof id !== 'string' || !MODEL_ID.test(id)) return false;
  const chat = fieldsOf(capabilities)['chat'];
  if (typeof chat === 'boolean') return chat;
  return Array.isArray(tasks) ? tasks.includes('generate') : !/embed|whisper|tts|rerank/i.test(id);
}

/** Whether a model reasons before it answers, and can be told with how much effort. */
export function reasons(model: ModelFields): boolean {
  return fieldsOf(model['capabilities'])['reasoning'] === true;
}

/** The size of the context window in tokens; undefined if the backend does not state it. */
export function contextWindow(model: ModelFields): number | undefined {
  return [model['context_window'], model['max_context_tokens'], model['max_model_len']].map(sizeOf).find(Boolean);
}

/** `value` if it is a size in tokens, else undefined. */
export function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The first of these values that is a text, as one line that is short enough for a list. */
export function firstText(...values: readonly unknown[]): string {
  const text = values.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? '';
  return asPlain(text, 100);
}
