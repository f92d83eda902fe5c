// A streamed answer, as its events: text, reasoning, whole tool calls, usage. Pure: text in, events out.
import { asObject, fieldsOf } from '../shared/json.ts';

export type AnswerEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number };

/** The answer cannot be read, or says that it failed. The message is for people. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

interface Call {
  id: string;
  name: string;
  json: string;
}

/** In characters. A stream whose lines have no end is no event stream. */
const MAX_LINE = 16 * 1024 * 1024;
/** The same of all that tools are called with together, and how many may be called. */
const MAX_CALLED = 16 * 1024 * 1024;
const MAX_CALLS = 256;
/** Longer ones of a backend are no sentences for people. */
const MAX_SENTENCE = 500;

/** Reads the event stream of one answer. */
export class AnswerReader {
  readonly #onEvent: (event: AnswerEvent) => void;
  readonly #calls = new Map<number, Call>();
  /** Of the line that has no end yet: joined once, so that a long one in many pieces costs no more than its length. */
  #rest: string[] = [];
  #restLength = 0;
  #callsLength = 0;
  #done = false;

  constructor(onEvent: (event: AnswerEvent) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Takes the next characters of the body, wherever they are cut.
   * @throws AnswerError
   */
  push(text: string): void {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = this.#takeRest() + line;
      this.#line(whole.endsWith('\r') ? whole.slice(0, -1) : whole);
    }
    this.#rest.push(rest);
    this.#restLength += rest.length;
    if (this.#restLength > MAX_LINE) throw new AnswerError('The answer is no event stream.');
  }

  /**
   * The body is whole.
   * @throws AnswerError if the answer is not
   */
  end(): void {
    this.#line(this.#takeRest());
    this.#finishCalls();
    if (!this.#done) throw new AnswerError('The answer ended before it was complete.');
  }

  #takeRest(): string {
    const rest = this.#rest.join('');
    this.#rest = [];
    this.#restLength = 0;
    return rest;
  }

  #line(line: string): void {
    if (!line.startsWith('data:')) return; // comments, empty lines, names of events
    const data = line.slice(5).trim();
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = parse(data);
    const error = fieldsOf(chunk['error']);
    if (chunk['error'] !== undefined && chunk['error'] !== null) {
      const said = textOf(error['message']).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SENTENCE);
      throw new AnswerError(said || 'The backend broke the answer off.');
    }
    const [choice] = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
    this.#take(fieldsOf(choice));
    this.#usage(fieldsOf(chunk['usage']));
  }

  #take({ delta, finish_reason: reason }: Record<string, unknown>): void {
    const { content, reasoning, reasoning_content: alsoReasoning, tool_calls: calls } = fieldsOf(delta);
    const thinking = textOf(reasoning) || textOf(alsoReasoning);
    if (thinking !== '') this.#onEvent({ kind: 'thinking', text: thinking });
    const text = textOf(content);
    if (text !== '') this.#onEvent({ kind: 'text', text });
    if (Array.isArray(calls)) {
      for (const [position, call] of calls.entries()) this.#fragment(fieldsOf(call), position);
    }
    if (typeof reason !== 'string') return;
    this.#done = true;
    this.#finishCalls();
  }

  #fragment({ index, id, function: called }: Record<string, unknown>, position: number): void {
    const place = typeof index === 'number' ? index : position;
    const known = this.#calls.get(place);
    const call = known ?? { id: '', name: '', json: '' };
    const { name, arguments: json } = fieldsOf(called);
    call.id ||= textOf(id);
    call.name ||= textOf(name);
    call.json += textOf(json);
    this.#callsLength += textOf(id).length + textOf(name).length + textOf(json).length;
    this.#calls.set(place, call);
    if (this.#callsLength <= MAX_CALLED && this.#calls.size <= MAX_CALLS) return;
    throw new AnswerError('The model calls more tools, or with more arguments, than can be taken.');
  }

  #finishCalls(): void {
    const calls = [...this.#calls].toSorted(([one], [other]) => one - other);
    this.#calls.clear();
    this.#callsLength = 0;
    for (const [place, { id, name, json }] of calls) {
      if (name === '') throw new AnswerError('The model called a tool without a name.');
      this.#onEvent({ kind: 'toolCall', id: id || `call_${place}`, name, input: argumentsOf(name, json) });
    }
  }

  #usage({ prompt_tokens: input, completion_tokens: output }: Record<string, unknown>): void {
    if (typeof input === 'number' && typeof output === 'number') this.#onEvent({ kind: 'usage', input, output });
  }
}

function argumentsOf(name: string, json: string): object {
  if (json.trim() === '') return {};
  try {
    const value = asObject(JSON.parse(json));
    if (value !== undefined) return value;
  } catch {
    // said below
  }
  throw new AnswerError(`The model called the tool ${name} with arguments that are no JSON object.`);
}

function parse(data: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(data));
  } catch {
    throw new AnswerError('The answer holds an event that is no JSON.');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
