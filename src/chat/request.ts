// Turns a conversation into the body of an OpenAI request. Pure: the caller converts the editor's own classes.
import type { ReasoningEffort } from '../settings/modelOverrides.ts';
import type { ChatModel } from './models.ts';

/** A part of a message. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** Reasoning of an earlier response: it is not sent again. */
  | { readonly kind: 'thinking' }
  | { readonly kind: 'image'; readonly mime: string; readonly data: Uint8Array }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'toolResult'; readonly id: string; readonly parts: readonly Part[] };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema; undefined = no arguments. */
  readonly schema: object | undefined;
}

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** True: the model must call a tool. */
  readonly toolRequired: boolean;
  /** Options of the caller, such as `temperature`: added to the body unchanged, except for reserved and private ones. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What the user has chosen for this request, in place of the model's own. Only for a model that reasons. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
}

type ToolResult = Extract<Part, { readonly kind: 'toolResult' }>;
type Json = Record<string, unknown>;

/** Fields that the response reader depends on. */
const RESERVED_FIELDS = ['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'n'];
/** The prefix of options that the editor's chat adds for itself, such as conversation ids and traces. */
const PRIVATE_PREFIX = '_';
const NO_ARGUMENTS = { type: 'object', properties: {} };

/** The JSON body of a streamed `POST /v1/chat/completions` that asks for usage. */
export function chatRequest(
  model: ChatModel,
  { messages, tools, toolRequired, options, reasoningEffort }: Conversation,
): string {
  const further = Object.fromEntries(
    Object.entries(options).filter(([name]) => !RESERVED_FIELDS.includes(name) && !name.startsWith(PRIVATE_PREFIX)),
  );
  const offered = tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema ?? NO_ARGUMENTS },
  }));
  const effort = reasoningEffort ?? model.reasoningEffort;
  return JSON.stringify({
    ...(model.reasoning && effort !== undefined && { reasoning_effort: effort }),
    ...further,
    model: model.id,
    messages: toMessages(messages),
    stream: true,
    stream_options: { include_usage: true },
    ...(offered.length > 0 && { tools: offered, tool_choice: toolRequired ? 'required' : 'auto' }),
  });
}

/**
 * One message of the editor may become several of OpenAI's, because each tool result is a message of its own. The results
 * of tools that were called together must follow each other without a gap, so other parts are sent after all of them.
 */
function toMessages(conversation: readonly Message[]): Json[] {
  const messages: Json[] = [];
  let deferred: Part[] = [];
  const flush = () => {
    if (deferred.length > 0) messages.push({ role: 'user', content: contentOf(deferred) });
    deferred = [];
  };
  for (const { role, parts } of conversation) {
    const results = parts.filter((part) => part.kind === 'toolResult');
    if (results.length > 0) {
      messages.push(...results.map(toolMessage));
      deferred.push(...parts.flatMap(notInToolMessage));
    } else if (role === 'user') {
      messages.push({ role, content: contentOf([...deferred, ...parts]) });
      deferred = [];
    } else {
      flush();
      messages.push(role === 'assistant' ? assistantMessage(parts) : { role, content: textOf(parts) });
    }
  }
  flush();
  return messages;
}

function toolMessage({ id, parts }: ToolResult): Json {
  return { role: 'tool', tool_call_id: id, content: textOf(parts) };
}

/** A tool message holds only text: images that a tool returned are sent as the user's. */
function notInToolMessage(part: Part): readonly Part[] {
  return part.kind === 'toolResult' ? part.parts.filter(({ kind }) => kind === 'image') : [part];
}

function assistantMessage(parts: readonly Part[]): Json {
  const calls = parts.filter((part) => part.kind === 'toolCall');
  const text = textOf(parts);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input ?? {}) },
      })),
    }),
  };
}

/** A string if there are no images, otherwise the list of parts. */
function contentOf(parts: readonly Part[]): string | Json[] {
  if (parts.every(({ kind }) => kind !== 'image')) return textOf(parts);
  return parts.flatMap((part): Json[] => {
    if (part.kind === 'text') return [{ type: 'text', text: part.text }];
    if (part.kind !== 'image') return [];
    const url = `data:${part.mime};base64,${Buffer.from(part.data).toString('base64')}`;
    return [{ type: 'image_url', image_url: { url } }];
  });
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
