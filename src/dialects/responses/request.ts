// Translates a request of the Responses API to Chat Completions.
import type { Tool } from 'openai/resources/responses/responses';
import type { ChatRequest } from '../chatCompletions.ts';
import type { RequestContext, TranslatedRequest } from '../dialect.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, countAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { findModel } from '../requestModel.ts';
import { findTools } from './input/foundTools.ts';
import { readInput } from './input/items.ts';
import { readReasoning, readSampling, readText, rejectUnsupported } from './options.ts';
import type { RequestEcho, ResponsesPlan } from './plan.ts';
import { ToolNames } from './tools/toolNames.ts';
import { chooseTools, joinTools, readTools } from './tools/tools.ts';
import { ToolSearch } from './tools/toolSearch.ts';

/** In characters. A response does not repeat a longer field: it has it three times, and is kept until its end. */
const MAX_ECHO = 128 * 1024;

/** @throws DialectError if the request cannot be translated; the message names the field */
export function translateRequest(body: unknown, context: RequestContext): TranslatedRequest<ResponsesPlan> {
  const request = objectAt('The body', body);
  const model = stringAt('model', request['model']);
  const { id, reasons, seesImages } = findModel(model, context, 'responses');
  rejectUnsupported(request);
  const stream = optional(booleanAt, 'stream', request['stream']) ?? false;
  const instructions = optional(stringAt, 'instructions', request['instructions']);
  const sampling = readSampling(request);
  const reasoning = readReasoning(request);
  const text = readText(request);
  const parallel = optional(booleanAt, 'parallel_tool_calls', request['parallel_tool_calls']);

  const serviceTier = optional(stringAt, 'service_tier', request['service_tier']);

  const names = new ToolNames();
  const listed = readTools(request['tools'], names);
  const found = findTools(request['input'], names);
  const search = new ToolSearch(request['tools'], found.flat(), names);
  const offered = joinTools([search.offer(listed), ...found]);
  const choice = chooseTools(request['tool_choice'], offered);
  const messages = readInput({ instructions, input: request['input'], seesImages, open: context.open }, names);
  if (messages.length === 0) throw invalidField('input', 'must contain at least one message.');

  const chat: ChatRequest = {
    model: id,
    messages,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    ...choice,
    ...(choice.tools !== undefined && parallel !== undefined && { parallel_tool_calls: parallel }),
    ...(reasons && reasoning.chat),
    ...(sampling.maxTokens !== undefined && { max_tokens: sampling.maxTokens }),
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(sampling.presencePenalty !== undefined && { presence_penalty: sampling.presencePenalty }),
    ...(sampling.frequencyPenalty !== undefined && { frequency_penalty: sampling.frequencyPenalty }),
    // the backend's default has no name that all backends know
    ...(serviceTier !== undefined && serviceTier !== 'auto' && { service_tier: serviceTier as ChatTier }),
    ...text.chat,
  };
  const echo: RequestEcho = {
    frequency_penalty: sampling.frequencyPenalty ?? 0,
    instructions: unlessLong(instructions, null),
    max_output_tokens: sampling.maxTokens ?? null,
    max_tool_calls: optional(countAt, 'max_tool_calls', request['max_tool_calls']) ?? null,
    metadata: unlessLong(readMetadata(request), {}),
    parallel_tool_calls: parallel ?? true,
    presence_penalty: sampling.presencePenalty ?? 0,
    prompt_cache_key: unlessLong(optional(stringAt, 'prompt_cache_key', request['prompt_cache_key']), null),
    reasoning: reasoning.echo,
    safety_identifier: unlessLong(optional(stringAt, 'safety_identifier', request['safety_identifier']), null),
    temperature: sampling.temperature ?? 1,
    text: unlessLong(text.format, {}),
    tool_choice: unlessLong(request['tool_choice'] as RequestEcho['tool_choice'] | null | undefined, 'auto'),
    tools: unlessLong(describeTools(request['tools']), []),
    top_p: sampling.topP ?? 1,
  };
  const { summarizes, isSealed } = reasoning;
  const { tools } = names;
  const plan = {
    model,
    stream,
    echo,
    serviceTier,
    tools,
    deferred: search.deferred,
    summarizes,
    sealsReasoning: isSealed,
  };
  return { chat, plan };
}

type ChatTier = NonNullable<ChatRequest['service_tier']>;

/** The tools as a response repeats them: a function has all its fields there. */
function describeTools(tools: unknown): Tool[] {
  return (optional(arrayAt, 'tools', tools) ?? []).map((value) => {
    const tool = value as Tool;
    return tool.type === 'function' ? { ...FUNCTION_DEFAULTS, ...tool } : tool;
  });
}
const FUNCTION_DEFAULTS = { description: null, parameters: null, strict: null };

function unlessLong<Value, Other>(value: Value | null | undefined, other: Other): Value | Other {
  return value === undefined || value === null || JSON.stringify(value).length > MAX_ECHO ? other : value;
}

/** The client's own notes: they are repeated in the response. */
function readMetadata(request: Fields): Record<string, string> {
  const metadata = optional(objectAt, 'metadata', request['metadata']) ?? {};
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, stringAt(`metadata.${name.slice(0, 64)}`, value)]),
  );
}
