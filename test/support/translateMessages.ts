import type { ChatMessage } from '../../src/dialects/chatCompletions.ts';
import type { TranslatedRequest } from '../../src/dialects/dialect.ts';
import { translateRequest } from '../../src/dialects/messages/request.ts';
import type { MessagesPlan } from '../../src/dialects/messages/request.ts';
import { MODEL_LIST } from './messagesRequests.ts';

/** Translates a request of the Messages API with these fields, for a model that sees images and reasons. */
export function translateFields(fields: object): TranslatedRequest<MessagesPlan> {
  const request = { model: 'kimi-k2-6', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }], ...fields };
  return translateRequest(request, { modelList: MODEL_LIST, replacementModel: undefined });
}

/** The Chat Completions messages for messages of a request. */
export function translateMessages(...messages: readonly object[]): ChatMessage[] {
  return translateFields({ messages }).chat.messages;
}
