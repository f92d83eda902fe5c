// A streamed response as a sequence of events: text, reasoning, complete tool calls, usage. Text in, events out.
import { randomUUID } from 'node:crypto';
import { asObject, fieldsOf, parseJson } from '../shared/json.ts';
import { ChatError, backendMessage } from './chatError.ts';

export type ResponseEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number }
  /** The response is over, but not complete. The message is for the user. */
  | { readonly kind: 'cutOff'; readonly message: string };

interface ToolCall {
  /** As the model numbers its calls; undefined if it does not. */
  readonly index: number | undefined;
  id: string;
  name: string;
  json: string;
}

/** Why a response is not complete, by its finish reason. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length:
    'The response was cut off, because it reached the maximum length. Ask the model to continue, or start a new chat.',
  content_filter: 'The response was cut off by a content filter of the backend. Rephrase your prompt.',
};

/** In characters. A longer line is not part of an event stream. */
const MAX_LINE = 16 * 1024 * 1024;
/** The length of all tool calls that are not complete yet, in characters. */
const MAX_CALL_LENGTH = 16 * 1024 * 1024;
const MAX_CALLS = 256;

/** Reads the event stream of one response. */
export class ResponseReader {
  readonly #onEvent: (event: ResponseEvent) => void;
  #calls: ToolCall[] = [];
  /** The start of the current line. */
  #rest = '';
  #callsLength = 0;
  #done = false;

  constructor(onEvent: (event: ResponseEvent) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Reads the next characters of the body, which may end anywhere.
   * @throws ChatError if they are not part of an event stream, or report an error
   */
  push(text: string): void {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line);
    this.#rest += rest;
    if (this.#rest.length > MAX_LINE) throw new ChatError('The backend did not send an event stream. Try again.');
  }

  /**
   * Ends the body.
   * @throws ChatError if the response is not complete
   */
  end(): void {
    this.#readLine('');
    this.#finishCalls();
    if (!this.#done) throw new ChatError('The response ended before it was complete. Try again.');
  }

  /** Reads the line that ends with `end`. */
  #readLine(end: string): void {
    const line = this.#rest + end;
    this.#rest = '';
    if (!line.startsWith('data:')) return; // comments, empty lines, event names
    const data = line.slice(5).trim();
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = parseJson(data);
    if (chunk === undefined) throw new ChatError('The backend sent an event that is not valid JSON. Try again.');
    const { error, choices, usage } = fieldsOf(chunk);
    if (error !== undefined && error !== null) {
      throw new ChatError(backendMessage({ error }) || 'The backend stopped with an error. Try again.');
    }
    this.#readChoice(fieldsOf(Array.isArray(choices) ? choices[0] : undefined));
    this.#readUsage(fieldsOf(usage));
  }

  #readChoice({ delta, finish_reason: reason }: Record<string, unknown>): void {
    const { content, refusal, reasoning, reasoning_content: alsoReasoning, tool_calls: calls } = fieldsOf(delta);
    const thinking = textOf(reasoning) || textOf(alsoReasoning);
    if (thinking !== '') this.#onEvent({ kind: 'thinking', text: thinking });
    const text = textOf(content) + textOf(refusal);
    if (text !== '') this.#onEvent({ kind: 'text', text });
    if (Array.isArray(calls)) for (const call of calls) this.#addFragment(fieldsOf(call), calls.length > 1);
    if (typeof reason !== 'string') return;
    this.#done = true;
    const message = Object.hasOwn(CUT_OFF, reason) ? CUT_OFF[reason] : undefined;
    if (message === undefined) {
      this.#finishCalls();
    } else {
      this.#calls = []; // their arguments may be cut off too
      this.#onEvent({ kind: 'cutOff', message });
    }
  }

  /** @param isOneOfMany whether its chunk contains fragments of other calls as well */
  #addFragment({ index, id, function: target }: Record<string, unknown>, isOneOfMany: boolean): void {
    const { name, arguments: json } = fieldsOf(target);
    const fragment = {
      index: typeof index === 'number' ? index : undefined,
      id: textOf(id),
      name: textOf(name),
      json: textOf(json),
    };
    this.#callsLength += fragment.id.length + fragment.name.length + fragment.json.length;
    const call = this.#callOf(fragment, isOneOfMany);
    if (call === undefined) {
      this.#calls.push(fragment);
    } else {
      call.id ||= fragment.id;
      call.name ||= fragment.name;
      call.json += fragment.json;
    }
    if (this.#callsLength <= MAX_CALL_LENGTH && this.#calls.length <= MAX_CALLS) return;
    throw new ChatError('The model called too many tools, or with too many arguments. Try again.');
  }

  /**
   * The call that a fragment continues, or undefined for a new one. Without an index, a fragment with another id, or with a
   * name after the arguments of a call, begins a new call.
   */
  #callOf({ index, id, name }: ToolCall, isOneOfMany: boolean): ToolCall | undefined {
    if (index !== undefined) return this.#calls.find((call) => call.index === index);
    if (id !== '') return this.#calls.find((call) => call.id === id);
    const last = this.#calls.at(-1);
    if (name !== '') return last?.json === '' && ['', name].includes(last.name) ? last : undefined;
    if (isOneOfMany) throw new ChatError('The model mixed up the arguments of several tools. Try again.');
    return last;
  }

  #finishCalls(): void {
    const calls = this.#calls;
    this.#calls = [];
    this.#callsLength = 0;
    for (const { id, name, json } of calls) {
      if (name === '') throw new ChatError('The model called a tool without a name. Try again.');
      this.#onEvent({ kind: 'toolCall', id: id || `call_${randomUUID()}`, name, input: argumentsOf(name, json) });
    }
  }

  #readUsage({ prompt_tokens: input, completion_tokens: output }: Record<string, unknown>): void {
    if (typeof input === 'number' && typeof output === 'number') this.#onEvent({ kind: 'usage', input, output });
  }
}

function argumentsOf(name: string, json: string): object {
  if (json.trim() === '') return {};
  const value = asObject(parseJson(json));
  if (value === undefined) throw new ChatError(`The model called the tool ${name} with invalid arguments. Try again.`);
  return value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
