// The fields of a chat completion request that the model uses. Other fields are ignored.
import { hash } from 'node:crypto';
import { asObject } from '../../shared/json.ts';
import { ApiError, invalid } from './apiErrors.ts';
import { chatCapabilities } from './catalogue.ts';
import type { ChatCapabilities } from './catalogue.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
type Effort = (typeof EFFORTS)[number];

export interface Message {
  readonly role: string;
  /** All text parts, concatenated. */
  readonly text: string;
  readonly images: readonly Image[];
}

/** An image of a message. */
export interface Image {
  readonly mediaType: string;
  /** The size; undefined for an image that would have to be fetched. */
  readonly bytes: number | undefined;
}

export interface Tool {
  readonly name: string;
  /** The JSON schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Which tools to call. */
type ToolChoice = { readonly kind: 'none' | 'auto' | 'required' } | { readonly kind: 'named'; readonly name: string };

export interface ChatRequest {
  /** Derived from the body, so that the same request gets the same answer. */
  readonly id: string;
  readonly model: string;
  readonly capabilities: ChatCapabilities;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** One word of the answer's text is one token. */
  readonly maxTokens: number;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  /** Undefined: `medium`. */
  readonly effort: Effort | undefined;
}

/**
 * Validates a chat completion request.
 * @param value the parsed body
 * @throws ApiError
 */
export function parseChatRequest(body: Uint8Array, value: unknown): ChatRequest {
  const fields = asObject(value);
  if (fields === undefined) throw new ApiError(400, 'upstream_invalid_request', 'The body is not a JSON object');
  const { model, capabilities } = parseModel(fields['model']);
  const messages = parseMessages(fields['messages'], capabilities);
  const tools = parseTools(fields['tools'], capabilities);
  return {
    id: hash('sha256', body).slice(0, 24),
    model,
    capabilities,
    messages,
    stream: fields['stream'] === true,
    includeUsage: asObject(fields['stream_options'])?.['include_usage'] === true,
    maxTokens: parseMaxTokens(fields),
    tools,
    toolChoice: parseToolChoice(fields['tool_choice'], tools),
    parallelToolCalls: fields['parallel_tool_calls'] !== false,
    effort: parseEffort(fields['reasoning_effort']),
  };
}

function parseModel(model: unknown): Pick<ChatRequest, 'model' | 'capabilities'> {
  if (typeof model !== 'string') throw new ApiError(400, 'upstream_invalid_request', 'The model is missing', 'model');
  const capabilities = chatCapabilities(model);
  if (capabilities === undefined) {
    throw new ApiError(400, 'upstream_invalid_request', `Unknown chat model ${JSON.stringify(model)}`, 'model');
  }
  return { model, capabilities };
}

function parseMessages(value: unknown, { vision }: ChatCapabilities): readonly Message[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('messages', 'must be a list of at least one message');
  const messages = value.map(parseMessage);
  if (!vision && messages.some(({ images }) => images.length > 0))
    throw invalid('messages', 'has images, which this model does not support');
  return messages;
}

function parseMessage(value: unknown): Message {
  const message = asObject(value);
  const role = message?.['role'];
  if (typeof role !== 'string') throw invalid('messages', 'has a message without a role');
  const content = message?.['content'] ?? '';
  if (typeof content === 'string') return { role, text: content, images: [] };
  if (!Array.isArray(content)) throw invalid('messages', 'has content that is neither text nor a list of parts');
  const parts = content.map(parsePart);
  return {
    role,
    text: parts.map((part) => (typeof part === 'string' ? part : '')).join(''),
    images: parts.filter((part) => typeof part !== 'string'),
  };
}

function parsePart(value: unknown): string | Image {
  const part = asObject(value);
  const text = part?.['text'];
  if (part?.['type'] === 'text' && typeof text === 'string') return text;
  const url = asObject(part?.['image_url'])?.['url'];
  if (part?.['type'] === 'image_url' && typeof url === 'string') return parseImage(url);
  throw invalid('messages', 'has a part that is neither text nor an image');
}

function parseImage(url: string): Image {
  const data = /^data:([^;,]+);base64,/.exec(url);
  if (data?.[1] === undefined) return { mediaType: 'image/*', bytes: undefined };
  return { mediaType: data[1], bytes: Buffer.byteLength(url.slice(data[0].length), 'base64') };
}

function parseTools(value: unknown, capabilities: ChatCapabilities): readonly Tool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid('tools', 'must be a list');
  if (value.length > 0 && !capabilities.tool_use) {
    throw new ApiError(400, 'upstream_unsupported_parameter', 'This model does not support tools', 'tools');
  }
  return value.map((entry: unknown) => {
    const definition = asObject(asObject(entry)?.['function']);
    const name = definition?.['name'];
    if (typeof name !== 'string') throw invalid('tools', 'has a tool without a name');
    return { name, parameters: asObject(definition?.['parameters']) ?? {} };
  });
}

function parseToolChoice(value: unknown, tools: readonly Tool[]): ToolChoice {
  if (value === undefined || value === null) return { kind: 'auto' };
  if (value === 'none' || value === 'auto' || value === 'required') return { kind: value };
  const name = asObject(asObject(value)?.['function'])?.['name'];
  if (typeof name !== 'string' || !tools.some((tool) => tool.name === name)) {
    throw invalid('tool_choice', 'does not name a tool of this request');
  }
  return { kind: 'named', name };
}

function parseMaxTokens(fields: Readonly<Record<string, unknown>>): number {
  const name = fields['max_completion_tokens'] == null ? 'max_tokens' : 'max_completion_tokens';
  const value = fields[name];
  if (value === undefined || value === null) return Infinity;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw invalid(name, 'must be a positive integer');
  return value;
}

function parseEffort(value: unknown): Effort | undefined {
  if (value === undefined || value === null) return undefined;
  const effort = EFFORTS.find((known) => known === value);
  if (effort === undefined) throw invalid('reasoning_effort', `must be one of ${EFFORTS.join(', ')}`);
  return effort;
}
