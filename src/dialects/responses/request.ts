// Translates a request of the Responses API to Chat Completions.
import type { Tool } from 'openai/resources/responses/responses';
import type { ChatRequest } from '../chatCompletions.ts';
import type { RequestContext, TranslatedRequest } from '../dialect.ts';
import { invalidField } from '../dialectError.ts';
import { booleanAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { findModel } from '../requestModel.ts';
import { findTools } from './input/foundTools.ts';
import { readInput } from './input/items.ts';
import { readReasoning, readSampling, readText, rejectUnsupported } from './options.ts';
import type { RequestEcho, ResponsesPlan } from './plan.ts';
import { ToolNames } from './tools/toolNames.ts';
import { chooseTools, joinTools, readTools } from './tools/tools.ts';

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

  const names = new ToolNames();
  const offered = joinTools([readTools(request['tools'], names), ...findTools(request['input'], names)]);
  const choice = chooseTools(request['tool_choice'], offered);
  const messages = readInput({ instructions, input: request['input'], seesImages }, names);
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
    ...text.chat,
  };
  const echo: RequestEcho = {
    instructions: unlessLong(instructions, null),
    max_output_tokens: sampling.maxTokens ?? null,
    metadata: unlessLong(readMetadata(request), {}),
    parallel_tool_calls: parallel ?? true,
    reasoning: reasoning.echo,
    temperature: sampling.temperature ?? null,
    text: unlessLong(text.format, {}),
    tool_choice: unlessLong(request['tool_choice'] as RequestEcho['tool_choice'] | null | undefined, 'auto'),
    tools: unlessLong(request['tools'] as Tool[] | null | undefined, []),
    top_p: sampling.topP ?? null,
  };
  return { chat, plan: { model, stream, echo, tools: names.tools, summarizes: reasoning.summarizes } };
}

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
