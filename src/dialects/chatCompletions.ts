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

export type ChatRequest = Omit<ChatCompletionCreateParams, 'messages' | 'tools' | 'max_tokens'> & {
  messages: ChatMessage[];
  tools?: ChatTool[];
  /** OpenAI prefers `max_completion_tokens`, which not every backend accepts. */
  max_tokens?: number;
  /** Not OpenAI's: vLLM, SGLang, llama.cpp and others accept it. */
  top_k?: number;
};
