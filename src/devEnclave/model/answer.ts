// The model's answer to a chat request. The same request always gets the same answer.
import { asObject } from '../../shared/json.ts';
import type { ChatRequest, Image, Message, Tool } from './chatRequest.ts';
import { namedFile, requestedTitle, userWords } from './editorPrompt.ts';

/** One step of an answer: at most one chunk of a stream. */
export type AnswerStep =
  | { readonly kind: 'reasoning' | 'text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly index: number; readonly name: string }
  | { readonly kind: 'tool-arguments'; readonly index: number; readonly text: string }
  /** A comment line between two events of a stream. */
  | { readonly kind: 'ping' }
  /** The provider fails: an error event in a stream, otherwise an error status. */
  | { readonly kind: 'provider-error' }
  /** The enclave fails: an Error record instead of an End. */
  | { readonly kind: 'abort'; readonly code: string }
  /** Sends nothing until the client disconnects. */
  | { readonly kind: 'stall' };

export interface Answer {
  readonly steps: Iterable<AnswerStep>;
  /** Omits the pause between the steps. */
  readonly unpaced?: true;
  /** How long to wait before the answer starts, in milliseconds. */
  readonly delayMs?: number;
}

/** A call of a tool, with its arguments as JSON. */
export interface ToolCall {
  readonly name: string;
  readonly json: string;
}

/** The length of the reasoning in sentences, by `reasoning_effort`. */
const REASONING_SENTENCES = { none: 0, minimal: 1, low: 1, medium: 2, high: 3, xhigh: 4 } as const;

const READ_FILE = 'read_file';

/** The fragments in which arguments are streamed. */
const FRAGMENTS = /[^]{1,8}/gu;

/** The user's words in the last message of that role. */
export function lastUserText({ messages }: ChatRequest): string {
  return userWords(lastUserMessage(messages)?.text ?? '');
}

/** Answers a request without a slash command: calls the requested tools, or repeats the user's words. */
export function answerTo(request: ChatRequest): Answer {
  const title = requestedTitle(lastUserText(request));
  if (title !== undefined) return { steps: say(title) };
  const calls = toolCallsFor(request);
  const steps = calls.length > 0 ? callTools(calls) : say(replyText(request));
  return { steps: [...reasoningFor(request), ...steps] };
}

/** The words of `text`, one step each, with trailing space. */
export function say(text: string): AnswerStep[] {
  return words(text).map((word) => ({ kind: 'text', text: word }));
}

/** The steps of these calls, with their arguments in fragments. */
export function callTools(calls: readonly ToolCall[]): AnswerStep[] {
  return calls.flatMap(({ name, json }, index): AnswerStep[] => [
    { kind: 'tool-call', index, name },
    ...(json.match(FRAGMENTS) ?? []).map((text): AnswerStep => ({ kind: 'tool-arguments', index, text })),
  ]);
}

function words(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/gu) ?? [];
}

function lastUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function replyText(request: ChatRequest): string {
  const results = trailingToolResults(request.messages);
  if (results.length > 0) return `The tool answered: ${results.map(fencedIfLong).join('\n')}`;
  const images = lastUserMessage(request.messages)?.images ?? [];
  return `${images.map(describeImage).join('')}You said: ${lastUserText(request)}`;
}

/** Several lines become a block of code in Markdown. */
function fencedIfLong(result: string): string {
  const text = result.trimEnd();
  return text.includes('\n') ? `\n\n~~~\n${text}\n~~~\n` : text;
}

function describeImage({ mediaType, bytes }: Image): string {
  return `I see an image (${mediaType}, ${bytes === undefined ? 'not fetched' : `${bytes} bytes`}). `;
}

/** The tool results at the end of the messages. */
function trailingToolResults(messages: readonly Message[]): readonly string[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(before + 1).map(({ text }) => text);
}

function reasoningFor(request: ChatRequest): AnswerStep[] {
  if (!request.capabilities.reasoning) return [];
  const count = words(lastUserText(request)).length;
  const sentences = [
    `The message has ${count} ${count === 1 ? 'word' : 'words'}. `,
    'I am a development model and repeat your message. ',
    'That needs no reasoning. ',
    'A higher effort only adds sentences like this one. ',
  ].slice(0, REASONING_SENTENCES[request.effort ?? 'medium']);
  return words(sentences.join('')).map((text) => ({ kind: 'reasoning', text }));
}

/**
 * The tools to call: none after a tool result, else the one in `tool_choice`, else those that the user mentions, else one
 * that reads the file which the user names.
 */
function toolCallsFor(request: ChatRequest): readonly ToolCall[] {
  const { tools, toolChoice, messages, parallelToolCalls } = request;
  if (toolChoice.kind === 'none' || messages.at(-1)?.role === 'tool') return [];
  const text = lastUserText(request);
  const chosen =
    toolChoice.kind === 'named' ? tools.filter(({ name }) => name === toolChoice.name) : mentioned(tools, text);
  const reading = chosen.length === 0 ? readingOf(request, text) : undefined;
  if (reading !== undefined) return [reading];
  const called = chosen.length === 0 && toolChoice.kind === 'required' ? tools.slice(0, 1) : chosen;
  return (parallelToolCalls ? called : called.slice(0, 1)).map((tool) => ({
    name: tool.name,
    json: JSON.stringify(argumentsFor(tool, text)),
  }));
}

function mentioned(tools: readonly Tool[], text: string): readonly Tool[] {
  const names = new Set(text.match(/[\w-]+/gu));
  return tools.filter(({ name }) => names.has(name));
}

/** Reads the file that the user names, with a tool that VS Code's chat has. */
function readingOf(request: ChatRequest, text: string): ToolCall | undefined {
  const filePath = namedFile(request, text);
  const isKnown = request.tools.some(({ name }) => name === READ_FILE);
  if (!isKnown || filePath === undefined) return undefined;
  return { name: READ_FILE, json: JSON.stringify({ filePath, startLine: 1, endLine: 100 }) };
}

/** An example value for each required argument, or for every argument if none is required. */
function argumentsFor({ parameters }: Tool, text: string): Record<string, unknown> {
  const properties = asObject(parameters['properties']) ?? {};
  const required = parameters['required'];
  const names = Array.isArray(required) && required.length > 0 ? required.map(String) : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, exampleOf(asObject(properties[name]) ?? {}, text)]));
}

function exampleOf(schema: Readonly<Record<string, unknown>>, text: string): unknown {
  const choices: unknown = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return text;
  }
}
