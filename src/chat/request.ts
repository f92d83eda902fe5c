// A conversation of the editor as the body of an OpenAI request. Pure: the editor's own classes are told apart before.
import type { ChatModel } from './models.ts';

/** What a message consists of, in its order. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** Reasoning of an earlier answer: shown to the person, not sent again. */
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
  /** Options of the one who asks, such as `temperature`; they go into the body as they are, but for private ones. */
  readonly options: Readonly<Record<string, unknown>>;
}

type ToolResult = Extract<Part, { readonly kind: 'toolResult' }>;
type Json = Record<string, unknown>;

/** Options that would change what the answer is read as. */
const OWN_FIELDS = ['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'n'];
/** How the editor's chat names what it notes among the options for itself: ids of conversations, traces. */
const PRIVATE = '_';
const NO_ARGUMENTS = { type: 'object', properties: {} };

/** The JSON of `POST /v1/chat/completions`, streamed, with usage. */
export function chatRequest(model: ChatModel, { messages, tools, toolRequired, options }: Conversation): string {
  const further = Object.fromEntries(
    Object.entries(options).filter(([name]) => !OWN_FIELDS.includes(name) && !name.startsWith(PRIVATE)),
  );
  const offered = tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema ?? NO_ARGUMENTS },
  }));
  return JSON.stringify({
    ...further,
    model: model.id,
    messages: toMessages(messages),
    stream: true,
    stream_options: { include_usage: true },
    ...(offered.length > 0 && { tools: offered, tool_choice: toolRequired ? 'required' : 'auto' }),
  });
}

/**
 * One message of the editor may be several of OpenAI's: each tool result is one of its own. Between the results of tools
 * that were called together nothing may stand: what is said besides, or found and no text, follows behind them all.
 */
function toMessages(conversation: readonly Message[]): Json[] {
  const messages: Json[] = [];
  let held: Part[] = [];
  const release = () => {
    if (held.length > 0) messages.push({ role: 'user', content: contentOf(held) });
    held = [];
  };
  for (const { role, parts } of conversation) {
    const results = parts.filter((part) => part.kind === 'toolResult');
    if (results.length > 0) {
      messages.push(...results.map(toolMessage));
      held.push(...parts.flatMap(besideResult));
    } else if (role === 'user') {
      messages.push({ role, content: contentOf([...held, ...parts]) });
      held = [];
    } else {
      release();
      messages.push(role === 'assistant' ? assistantMessage(parts) : { role, content: textOf(parts) });
    }
  }
  release();
  return messages;
}

function toolMessage({ id, parts }: ToolResult): Json {
  return { role: 'tool', tool_call_id: id, content: textOf(parts) };
}

/** A tool message holds text alone; what else a tool has found is shown in the person's name. */
function besideResult(part: Part): readonly Part[] {
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

/** A plain string where it is text alone, else the list of parts, in their order. */
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
