// Reads a response of Chat Completions, which a backend may have made in any way: each chunk becomes deltas of one form.
import { asObject, fieldsOf, textOf } from '../shared/json.ts';
import { isTokenCount } from '../shared/usage.ts';
import { invalidResponse, readError } from './dialectError.ts';
import type { DialectError } from './dialectError.ts';
import { parseExactJson } from './exactJson.ts';
import { parseResponseJson } from './jsonValues.ts';

export type ChatDelta =
  | { readonly kind: 'text' | 'refusal' | 'reasoning'; readonly text: string }
  /** A tool call begins. `index`: 0, 1, 2 ... in the order of the beginnings. */
  | { readonly kind: 'toolCall'; readonly index: number; readonly id: string; readonly name: string }
  /** More of the arguments of a call that has begun; calls may be interleaved. */
  | { readonly kind: 'arguments'; readonly index: number; readonly json: string };

export type FinishReason = 'stop' | 'length' | 'toolCalls' | 'contentFilter';

/** In tokens. */
export interface ChatUsage {
  /** All tokens of the prompt, cached ones included. */
  readonly input: number;
  readonly cached: number;
  /** All tokens of the response, reasoning included. */
  readonly output: number;
  readonly reasoning: number;
}

export interface ChatOutcome {
  readonly finish: FinishReason;
  /** Undefined if the backend did not report it. */
  readonly usage: ChatUsage | undefined;
  readonly reported?: Reported;
}

/** How the backend processed the request, by the names of Chat Completions. */
export interface Reported {
  readonly service_tier?: string;
}

type Push = (delta: ChatDelta) => void;

/** A part of a call, or a complete one. Its texts are empty if the backend sends none. */
interface Fragment {
  readonly number: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

interface ToolCall {
  /** As the model numbers its calls; undefined if it does not. */
  readonly number: number | undefined;
  id: string;
  name: string;
  /** Arguments that came before the name. */
  early: string;
  /** The index of its deltas; undefined until its name is known. */
  index: number | undefined;
  hasArguments: boolean;
}

/** The data of the event after the last one. */
export const END_OF_STREAM = '[DONE]';

/** Arguments that are an object in place of its text: their numbers must keep their digits. */
const HAS_OBJECT = /"arguments"\s*:\s*\{/;

const SERVICE_TIER = /^[\w.-]{1,64}$/;

const MAX_CALLS = 256;
/** How often a response may change between text, reasoning and calls: a reply may keep each part. */
const MAX_PARTS = 1000;
/** In characters, of all events of one response. */
const MAX_LENGTH = 64 * 1024 * 1024;
/** In characters, of what the model says: a reply may keep it and repeat it at the end. */
const MAX_CONTENT = 4 * 1024 * 1024;
export class ChatReader {
  readonly #newCallId: (index: number) => string;
  readonly #calls: ToolCall[] = [];
  readonly #joiner = new CharacterJoiner();
  #begun = 0;
  #parts = 0;
  #lastKind: ChatDelta['kind'] | undefined;
  #length = 0;
  #content = 0;
  #finish: FinishReason | undefined;
  #usage: ChatUsage | undefined;
  #reported: Reported = {};

  /** @param newCallId makes the id of a tool call to which the model gave none */
  constructor(newCallId: (index: number) => string) {
    this.#newCallId = newCallId;
  }

  /** As far as the backend has reported it. */
  get usage(): ChatUsage | undefined {
    return this.#usage;
  }

  /** Undefined while the response is not complete. */
  get outcome(): ChatOutcome | undefined {
    if (this.#finish === undefined) return undefined;
    return { finish: this.#finish, usage: this.#usage, reported: this.#reported };
  }

  /**
   * The deltas of one event of a stream, or of a complete response.
   * @param json the data of the event
   * @throws DialectError if it is not valid, or reports an error
   */
  read(json: string): ChatDelta[] {
    if (json.trim() === END_OF_STREAM) {
      this.#checkNames();
      return [];
    }
    this.#length += json.length;
    if (this.#length > MAX_LENGTH) throw tooLong();
    const value = parseResponseJson(json, HAS_OBJECT.test(json) ? parseExactJson : undefined);
    if (value === undefined) {
      throw invalidResponse('The backend sent an event that is not valid JSON, or has too many values. Try again.');
    }
    const { error, choices, usage, service_tier: tier } = fieldsOf(value);
    if (error !== undefined && error !== null) {
      throw readError(statusOf(error), json, null, 'The backend stopped with an error. Try again.');
    }
    const deltas: ChatDelta[] = [];
    const { delta, message, finish_reason: reason } = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
    const push = (part: ChatDelta) => {
      this.#count(part);
      deltas.push(...this.#joiner.push(part));
    };
    const parts = fieldsOf(delta ?? message);
    this.#readTexts(parts, push);
    this.#readCalls(parts, delta === undefined || delta === null, push);
    this.#usage = parseUsage(usage) ?? this.#usage;
    if (typeof tier === 'string' && SERVICE_TIER.test(tier)) this.#reported = { service_tier: tier, ...this.#reported };
    if (typeof reason === 'string') {
      this.#setFinish(reason);
      deltas.push(...this.#joiner.end());
    }
    return deltas;
  }

  #count(delta: ChatDelta): void {
    if ('text' in delta) this.#content += delta.text.length;
    if ('json' in delta) this.#content += delta.json.length;
    if (this.#content > MAX_CONTENT) throw tooLong();
    const kind = delta.kind === 'arguments' ? 'toolCall' : delta.kind;
    if (kind !== this.#lastKind && ++this.#parts > MAX_PARTS) {
      throw invalidResponse('The response has too many parts. Try again.');
    }
    this.#lastKind = kind;
  }

  #readTexts(parts: Readonly<Record<string, unknown>>, push: Push): void {
    const { content, refusal, reasoning, reasoning_content: alsoReasoning } = parts;
    const add = (kind: 'text' | 'refusal' | 'reasoning', text: string) => {
      if (text !== '') push({ kind, text });
    };
    add('reasoning', textOf(reasoning) || textOf(alsoReasoning));
    for (const part of Array.isArray(content) ? content : [content])
      add('text', textOf(part) || textOf(fieldsOf(part)['text']));
    add('refusal', textOf(refusal));
  }

  /** @param isComplete whether these are calls, not fragments of them */
  #readCalls({ tool_calls: items }: Readonly<Record<string, unknown>>, isComplete: boolean, push: Push): void {
    if (!Array.isArray(items)) return;
    for (const item of items) {
      const { index, id, function: call } = fieldsOf(item);
      const { name, arguments: value } = fieldsOf(call);
      const json = asObject(value) === undefined ? textOf(value) : JSON.stringify(value);
      const fragment = {
        number: typeof index === 'number' ? index : undefined,
        id: textOf(id),
        name: textOf(name),
        json,
      };
      const continued = isComplete ? undefined : this.#callOf(fragment, items.length > 1);
      this.#add(fragment, continued ?? this.#newCall(fragment.number), push);
    }
  }

  #add({ id, name, json }: Fragment, call: ToolCall, push: Push): void {
    call.id ||= id;
    call.name ||= name;
    call.hasArguments ||= json !== '';
    if (call.index === undefined && call.name !== '') {
      call.index = this.#begun++;
      // the client tells the results of calls apart by their ids
      if (call.id === '' || this.#calls.some((other) => other !== call && other.id === call.id)) {
        call.id = this.#newCallId(call.index);
      }
      push({ kind: 'toolCall', index: call.index, id: call.id, name: call.name });
      if (call.early !== '') push({ kind: 'arguments', index: call.index, json: call.early });
    }
    if (call.index === undefined) call.early += json;
    else if (json !== '') push({ kind: 'arguments', index: call.index, json });
  }

  /**
   * The call that a fragment continues; undefined if it begins one. Without an index, a fragment with another id, or with a
   * name after the arguments of a call, begins one. So does one with both, because some backends give all calls the index 0,
   * and one with another name.
   * @param isOneOfMany whether its chunk contains fragments of other calls as well
   */
  #callOf({ number, id, name }: Fragment, isOneOfMany: boolean): ToolCall | undefined {
    const last = this.#calls.at(-1);
    let found: ToolCall | undefined;
    if (number !== undefined) found = this.#calls.findLast((call) => call.number === number);
    else if (id !== '') found = this.#calls.find((call) => call.id === id);
    else if (name !== '') found = last?.hasArguments === false && ['', name].includes(last.name) ? last : undefined;
    else if (isOneOfMany) throw invalidResponse('The model mixed up the arguments of several tools. Try again.');
    else found = last;
    if (found?.hasArguments !== true || found.id === '' || name === '') return found;
    return ['', found.id].includes(id) && name === found.name ? found : undefined;
  }

  #newCall(number: number | undefined): ToolCall {
    if (this.#calls.length === MAX_CALLS) throw invalidResponse('The model called too many tools. Try again.');
    const call = { number, id: '', name: '', early: '', index: undefined, hasArguments: false };
    this.#calls.push(call);
    return call;
  }

  #setFinish(reason: string): void {
    if (reason === 'length') this.#finish = 'length';
    else if (reason === 'content_filter') this.#finish = 'contentFilter';
    else this.#finish = this.#begun > 0 ? 'toolCalls' : 'stop';
    this.#checkNames();
  }

  /** A response that was cut off may end before the name of a call. */
  #checkNames(): void {
    const isCutOff = this.#finish === 'length' || this.#finish === 'contentFilter';
    if (isCutOff || this.#calls.every(({ index }) => index !== undefined)) return;
    throw invalidResponse('The model called a tool without a name. Try again.');
  }
}

function tooLong(): DialectError {
  return invalidResponse('The response is too long. Ask for a shorter one.');
}

/** The status in an error event, as some backends number their errors. */
function statusOf(error: unknown): number {
  const { code } = fieldsOf(error);
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 599 ? Number(code) : 502;
}

function parseUsage(value: unknown): ChatUsage | undefined {
  const { prompt_tokens: input, completion_tokens: output, ...details } = fieldsOf(value);
  if (!isTokenCount(input) || !isTokenCount(output)) return undefined;
  const { cached_tokens: cached } = fieldsOf(details['prompt_tokens_details']);
  const { reasoning_tokens: reasoning } = fieldsOf(details['completion_tokens_details']);
  const atMost = (count: unknown, limit: number) => (isTokenCount(count) ? Math.min(count, limit) : 0);
  return { input, output, cached: atMost(cached, input), reasoning: atMost(reasoning, output) };
}

type TextDelta = Exclude<ChatDelta, { kind: 'toolCall' }>;

/** Of a character outside the Basic Multilingual Plane, which is two halves in JSON. */
const FIRST_HALF_AT_END = /[\ud800-\udbff]$/;

/**
 * Joins the halves of a character that a backend has sent in two events. Clients that are not written in JavaScript cannot
 * join them, and some cannot even read an event with a half.
 */
class CharacterJoiner {
  /** The first half of a character, which the next delta may complete. */
  #half: TextDelta | undefined;

  /** The deltas that have complete characters now. A half without the other one is replaced by U+FFFD. */
  push(delta: ChatDelta): readonly ChatDelta[] {
    if (delta.kind === 'toolCall') return [...this.end(), delta];
    const half = this.#half;
    if (half === undefined && contentOf(delta).isWellFormed()) return [delta];
    const isContinued = half !== undefined && isSameText(half, delta);
    const before = isContinued ? [] : this.end();
    const text = (isContinued ? contentOf(half) : '') + contentOf(delta);
    const hasHalf = FIRST_HALF_AT_END.test(text);
    this.#half = hasHalf ? withContent(delta, text.slice(-1)) : undefined;
    const complete = hasHalf ? text.slice(0, -1) : text;
    return complete === '' ? before : [...before, withContent(delta, complete.toWellFormed())];
  }

  /** The half that nothing completes. */
  end(): readonly ChatDelta[] {
    const half = this.#half;
    this.#half = undefined;
    return half === undefined ? [] : [withContent(half, contentOf(half).toWellFormed())];
  }
}

function contentOf(delta: TextDelta): string {
  return delta.kind === 'arguments' ? delta.json : delta.text;
}

function withContent(delta: TextDelta, text: string): TextDelta {
  return delta.kind === 'arguments' ? { ...delta, json: text } : { ...delta, text };
}

function isSameText(one: TextDelta, other: TextDelta): boolean {
  if (one.kind === 'arguments') return other.kind === 'arguments' && one.index === other.index;
  return one.kind === other.kind;
}
