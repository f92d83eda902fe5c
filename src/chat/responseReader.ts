// A streamed response as a sequence of events: text, reasoning, complete tool calls, usage. Pure: text in, events out.
import { asObject, fieldsOf, parseJson } from '../shared/json.ts';
import { ChatError, backendMessage } from './chatError.ts';

export type ResponseEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number };

interface ToolCall {
  id: string;
  name: string;
  json: string;
}

/** In characters. A longer line is not part of an event stream. */
const MAX_LINE = 16 * 1024 * 1024;
/** The length of all tool calls that are not complete yet, in characters. */
const MAX_CALL_LENGTH = 16 * 1024 * 1024;
const MAX_CALLS = 256;

/** Reads the event stream of one response. */
export class ResponseReader {
  readonly #onEvent: (event: ResponseEvent) => void;
  readonly #calls = new Map<number, ToolCall>();
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
    const { content, reasoning, reasoning_content: alsoReasoning, tool_calls: calls } = fieldsOf(delta);
    const thinking = textOf(reasoning) || textOf(alsoReasoning);
    if (thinking !== '') this.#onEvent({ kind: 'thinking', text: thinking });
    const text = textOf(content);
    if (text !== '') this.#onEvent({ kind: 'text', text });
    if (Array.isArray(calls)) {
      for (const [position, call] of calls.entries()) this.#addFragment(fieldsOf(call), position);
    }
    if (typeof reason !== 'string') return;
    this.#done = true;
    this.#finishCalls();
  }

  #addFragment({ index, id, function: target }: Record<string, unknown>, position: number): void {
    const place = typeof index === 'number' ? index : position;
    const call = this.#calls.get(place) ?? { id: '', name: '', json: '' };
    const { name, arguments: json } = fieldsOf(target);
    call.id ||= textOf(id);
    call.name ||= textOf(name);
    call.json += textOf(json);
    this.#callsLength += textOf(id).length + textOf(name).length + textOf(json).length;
    this.#calls.set(place, call);
    if (this.#callsLength <= MAX_CALL_LENGTH && this.#calls.size <= MAX_CALLS) return;
    throw new ChatError('The model called too many tools, or with too many arguments. Try again.');
  }

  #finishCalls(): void {
    const calls = [...this.#calls].toSorted(([one], [other]) => one - other);
    this.#calls.clear();
    this.#callsLength = 0;
    for (const [place, { id, name, json }] of calls) {
      if (name === '') throw new ChatError('The model called a tool without a name. Try again.');
      this.#onEvent({ kind: 'toolCall', id: id || `call_${place}`, name, input: argumentsOf(name, json) });
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
