// The wire format of Chat Completions, as far as dialects use it: OpenAI's, and fields for reasoning that backends add.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

export type ChatContentPart = ChatCompletionContentPart;
export type ChatTool = ChatCompletionFunctionTool;
export type ChatToolCall = ChatCompletionMessageFunctionToolCall;

/** `reasoning` is what the model has thought before; a backend that does not take it back ignores it. */
export type ChatAssistantMessage = ChatCompletionAssistantMessageParam & { reasoning?: string };
export type ChatMessage = Exclude<ChatCompletionMessageParam, { role: 'assistant' }> | ChatAssistantMessage;

export type ChatRequest = Omit<ChatCompletionCreateParams, 'max_tokens' | 'messages' | 'tools'> & {
  messages: ChatMessage[];
  tools?: ChatTool[];
  /** OpenAI's own models want `max_completion_tokens`; all other backends know this name. */
  max_tokens?: number;
};
