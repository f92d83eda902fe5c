// Estimates the tokens of a request.
import { PER_IMAGE, PER_MESSAGE, countTokens } from '../shared/tokens.ts';
import type { ChatMessage, ChatRequest } from './chatCompletions.ts';

/** The estimated number of tokens in the prompt of a request, tools included. */
export function estimateTokens({ messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  const counts = [
    ...messages.map(countMessage),
    ...tools.map((tool) => PER_MESSAGE + countTokens(JSON.stringify(tool))),
  ];
  return counts.reduce((total, count) => total + count, 0);
}

function countMessage(message: ChatMessage): number {
  const calls = 'tool_calls' in message ? countTokens(JSON.stringify(message.tool_calls)) : 0;
  return PER_MESSAGE + countContent(message.content) + calls;
}

function countContent(content: ChatMessage['content']): number {
  if (typeof content === 'string') return countTokens(content);
  const counts = (content ?? []).map((part) => {
    if (part.type === 'text') return countTokens(part.text);
    return part.type === 'image_url' ? PER_IMAGE : countTokens(JSON.stringify(part));
  });
  return counts.reduce((total, count) => total + count, 0);
}
