import type { ChatModel } from '../chat/models.ts';
import type { ModelChoice } from './types.ts';

/** A model of the backend, with what assistants are told about it. */
export function choiceOf({ id, name, maxInputTokens, maxOutputTokens, tools, images }: ChatModel): ModelChoice {
  const limits = { contextWindow: maxInputTokens + maxOutputTokens, maxOutput: maxOutputTokens };
  return { id, name, limits, tools, images };
}
