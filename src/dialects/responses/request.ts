// Translates a request of the Responses API to Chat Completions.
import type { Tool } from 'openai/resources/responses/responses';
import type { ChatRequest } from '../chatCompletions.ts';
import type { RequestContext, TranslatedRequest } from '../dialect.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, objectAt, optional, stringAt } from '../fields.ts';
import { findModel } from '../requestModel.ts';
import { readInput } from './input.ts';
import { echoOf, readOptions, readReasoning, readText, rejectUnsupported } from './options.ts';
import type { RequestEcho } from './options.ts';
import type { ResponsesPlan } from './plan.ts';
import { ToolNames } from './toolNames.ts';
import { chooseTools, joinTools, readFoundTools, readTools } from './tools.ts';
import { searchTools } from './toolSearch.ts';

/** @throws DialectError if the request cannot be translated; the message names the field */
export function translateRequest(body: unknown, context: RequestContext): TranslatedRequest<ResponsesPlan> {
  const request = objectAt('The body', body);
  const model = stringAt('model', request['model']);
  const { id, reasons, seesImages } = findModel(model, context, 'responses');
  rejectUnsupported(request);
  const stream = optional(booleanAt, 'stream', request['stream']) ?? false;
  const { instructions, parallel, ...options } = readOptions(request);
  const reasoning = readReasoning(request);
  const text = readText(request);

  const names = new ToolNames();
  const listed = readTools(request['tools'], names);
  const found = readFoundTools(request['input'], names);
  const { offered, deferred } = searchTools(request['tools'], listed, found.flat());
  const choice = chooseTools(request['tool_choice'], joinTools([offered, ...found]));
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
    ...options.chat,
    ...text.chat,
  };
  const echo = echoOf({
    ...options.echo,
    reasoning: reasoning.echo,
    text: text.format,
    tool_choice: request['tool_choice'] as RequestEcho['tool_choice'] | null | undefined,
    tools: describeTools(request['tools']),
  });
  const { summarizes, isSealed } = reasoning;
  const plan = { model, stream, echo, tools: names.tools, deferred, summarizes, sealsReasoning: isSealed };
  return { chat, plan };
}

/** The tools as a response repeats them: a function has all its fields there. */
function describeTools(tools: unknown): Tool[] {
  return (optional(arrayAt, 'tools', tools) ?? []).map((value) => {
    const tool = value as Tool;
    return tool.type === 'function' ? { ...FUNCTION_DEFAULTS, ...tool } : tool;
  });
}
const FUNCTION_DEFAULTS = { description: null, parameters: null, strict: null };
