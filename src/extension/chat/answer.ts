// A streamed answer, as its events: text, reasoning, whole tool calls, usage. Pure: text in, events out.
import { fieldsOf } from '../../shared/json.ts';

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

/** Reads the event stream of one answer. */
export class AnswerReader {
  readonly #onEvent: (event: AnswerEvent) => void;
  readonly #calls = new Map<number, Call>();
  #rest = '';
  #done = false;

  constructor(onEvent: (event: AnswerEvent) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Takes the next characters of the body, wherever they are cut.
   * @throws AnswerError
   */
  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE) throw new AnswerError('The answer is no event stream.');
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /**
   * The body is whole.
   * @throws AnswerError if the answer is not
   */
  end(): void {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
    this.#finishCalls();
    if (!this.#done) throw new AnswerError('The answer ended before it was complete.');
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
      throw new AnswerError(textOf(error['message']) || 'The backend broke the answer off.');
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
    this.#calls.set(place, call);
  }

  #finishCalls(): void {
    const calls = [...this.#calls].toSorted(([one], [other]) => one - other);
    this.#calls.clear();
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
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
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
