// The tokens that an answer says it took. An observer sees the pieces of the answer as they pass to the client, keeps
// none of them, and holds none up.
import type { HeaderField } from '../../session/wire.ts';
import { fieldsOf } from '../../shared/json.ts';
import { fieldValue } from '../http/headers.ts';
import { JsonField } from './jsonField.ts';

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface TokenObserver {
  push(bytes: Uint8Array): void;
  /** What was said so far: nothing, or what was said last. */
  readonly tokens: Tokens | undefined;
}

const USAGE = Buffer.from('usage');

/** An observer for the answer with these headers; undefined for one that cannot say its tokens, or is compressed. */
export function observerOf(headers: readonly HeaderField[]): TokenObserver | undefined {
  if ((fieldValue(headers, 'content-encoding') ?? 'identity') !== 'identity') return undefined;
  if (isEventStream(headers)) return new EventStreamObserver();
  return /^application\/json\s*(;|$)/i.test(fieldValue(headers, 'content-type') ?? '') ? new JsonObserver() : undefined;
}

export function isEventStream(headers: readonly HeaderField[]): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(fieldValue(headers, 'content-type') ?? '');
}

/** An answer that is one JSON object. */
class JsonObserver implements TokenObserver {
  readonly #usage = new JsonField(USAGE);

  push(bytes: Uint8Array): void {
    this.#usage.push(bytes);
  }

  get tokens(): Tokens | undefined {
    return tokensOf(this.#usage.value);
  }
}

const LINE_FEED = 0x0a;
const DATA = Buffer.from('data:');
/** Of a line that does not begin so. */
const OTHER = DATA.length + 1;

/**
 * An event stream of JSON objects, one in each `data` line. In most events `usage` does not occur, so a piece of whole
 * lines without it is not read any closer.
 */
class EventStreamObserver implements TokenObserver {
  tokens: Tokens | undefined;
  /** How many bytes of the line so far are those of `data:`, or `OTHER`. */
  #matched = 0;
  #usage = new JsonField(USAGE);

  push(bytes: Uint8Array): void {
    if (this.#matched === 0 && bytes[bytes.length - 1] === LINE_FEED && !mentionsUsage(bytes)) return;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#read(bytes, start, end);
      this.#endLine();
      start = end + 1;
    }
    this.#read(bytes, start, bytes.length);
  }

  /** A part of one line. */
  #read(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    for (; at < end && this.#matched < DATA.length; at++) {
      this.#matched = bytes[at] === DATA[this.#matched] ? this.#matched + 1 : OTHER;
    }
    if (this.#matched === DATA.length) this.#usage.push(bytes, at, end);
  }

  #endLine(): void {
    if (this.#matched === DATA.length) {
      this.tokens = tokensOf(this.#usage.value) ?? this.tokens;
      this.#usage = new JsonField(USAGE);
    }
    this.#matched = 0;
  }
}

const NAMED = Buffer.from(`"${USAGE.toString()}"`);
/** By the byte that stands where the last one of `NAMED` should: how far behind it that one may stand at least. */
const SKIPS = Uint8Array.from({ length: 256 }, (_, byte) => NAMED.length - 1 - NAMED.subarray(0, -1).lastIndexOf(byte));

/** True if `"usage"` occurs (Horspool 1980): in a third of the time of `Buffer.includes`, for events of 200 bytes. */
function mentionsUsage(bytes: Uint8Array): boolean {
  const length = NAMED.length;
  for (let end = length - 1; end < bytes.length; end += SKIPS[bytes[end] ?? 0] ?? length) {
    let same = 0;
    while (same < length && bytes[end - same] === NAMED[length - 1 - same]) same++;
    if (same === length) return true;
  }
  return false;
}

/** More than any answer takes: what is above is nonsense, and would spoil a sum. */
const MAX_TOKENS = 1e9;

/** The tokens of a `usage` object; undefined where one of its numbers makes no sense. Embeddings have input alone. */
export function tokensOf(json: string | undefined): Tokens | undefined {
  const { prompt_tokens: input, completion_tokens: output = 0 } = fieldsOf(parsed(json));
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined; // most have none, and an exception costs more than all else here
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
