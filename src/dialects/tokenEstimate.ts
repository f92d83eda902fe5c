// Estimates the tokens of a request.
import { PER_IMAGE, PER_MESSAGE, countTokens } from '../shared/tokens.ts';
import type { ChatMessage, ChatRequest } from './chatCompletions.ts';

type CountText = (text: string) => number;

/**
 * The estimated number of tokens in the prompt of a request, tools included.
 * @param countText of a text
 */
export function estimateTokens(
  { messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>,
  countText: CountText = countTokens,
): number {
  const counts = [
    ...messages.map((message) => countMessage(message, countText)),
    ...tools.map((tool) => PER_MESSAGE + countText(JSON.stringify(tool))),
  ];
  return counts.reduce((total, count) => total + count, 0);
}

function countMessage(message: ChatMessage, countText: CountText): number {
  const calls = 'tool_calls' in message ? countText(JSON.stringify(message.tool_calls)) : 0;
  return PER_MESSAGE + countContent(message.content, countText) + calls;
}

function countContent(content: ChatMessage['content'], countText: CountText): number {
  if (typeof content === 'string') return countText(content);
  const counts = (content ?? []).map((part) => {
    if (part.type === 'text') return countText(part.text);
    return part.type === 'image_url' ? PER_IMAGE : countText(JSON.stringify(part));
  });
  return counts.reduce((total, count) => total + count, 0);
}
