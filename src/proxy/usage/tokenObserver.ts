// Reads the token counts that a response reports, and the model that it names. An observer gets the chunks of the response
// after they were sent to the client; it keeps and delays none of them.
import type { HeaderField } from '../../session/wire.ts';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { isTokenCount } from '../../shared/usage.ts';
import { fieldValue, isEventStream } from '../http/headers.ts';
import { JsonFields } from './jsonFields.ts';

export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** How many of the input came from the backend's cache; null if that is not reported. */
  readonly cached: number | null;
}

export interface TokenObserver {
  /** Of a response that is an event stream. */
  readonly isStream: boolean;
  push(bytes: Uint8Array): void;
  /** The counts that were reported last; undefined if none were reported so far. */
  readonly tokens: Tokens | undefined;
  /** At most `MAX_MODEL_LENGTH` characters; undefined if none was named so far. */
  readonly model: string | undefined;
}

/** In code points, of the name of a model: a longer one is cut off. */
export const MAX_MODEL_LENGTH = 200;

const USAGE = Buffer.from('usage');
const USAGE_ONLY = [USAGE];
const USAGE_AND_MODEL = [USAGE, Buffer.from('model')];

/** An observer for a response with these headers; undefined if it cannot report tokens, or is compressed. */
export function createTokenObserver(headers: readonly HeaderField[]): TokenObserver | undefined {
  if ((fieldValue(headers, 'content-encoding') ?? 'identity') !== 'identity') return undefined;
  if (isEventStream(headers)) return new EventStreamObserver();
  return /^application\/json\s*(;|$)/i.test(fieldValue(headers, 'content-type') ?? '') ? new JsonObserver() : undefined;
}

/** For a response that is one JSON object. */
class JsonObserver implements TokenObserver {
  readonly isStream = false;
  readonly #fields = new JsonFields(USAGE_AND_MODEL);

  push(bytes: Uint8Array): void {
    this.#fields.push(bytes);
  }

  get tokens(): Tokens | undefined {
    return parseTokens(this.#fields.value(0));
  }

  get model(): string | undefined {
    return parseModel(this.#fields.value(1));
  }
}

const LINE_FEED = 0x0a;
const DATA = Buffer.from('data:');
/** For a line that does not begin with `DATA`. */
const MISMATCH = DATA.length + 1;

/** How many `data` lines are searched for the model: some backends begin with one that does not name it. */
const MODEL_LINES = 5;

/**
 * For an event stream with one JSON object in each `data` line. The first ones name the model. Most of the others do not
 * contain `usage`, so a chunk of complete lines without it is skipped.
 */
class EventStreamObserver implements TokenObserver {
  readonly isStream = true;
  tokens: Tokens | undefined;
  model: string | undefined;
  /** How many lines are still searched for the model. */
  #modelLines = MODEL_LINES;
  /** How many bytes of the current line match `DATA`, or `MISMATCH`. */
  #matched = 0;
  #fields = new JsonFields(USAGE_AND_MODEL);

  push(bytes: Uint8Array): void {
    const isComplete = this.#matched === 0 && bytes[bytes.length - 1] === LINE_FEED;
    if (isComplete && this.#modelLines === 0 && !mentionsUsage(bytes)) return;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#read(bytes, start, end);
      this.#endLine();
      start = end + 1;
    }
    this.#read(bytes, start, bytes.length);
  }

  /** Reads a part of one line. */
  #read(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    for (; at < end && this.#matched < DATA.length; at++) {
      this.#matched = bytes[at] === DATA[this.#matched] ? this.#matched + 1 : MISMATCH;
    }
    if (this.#matched === DATA.length) this.#fields.push(bytes, at, end);
  }

  #endLine(): void {
    if (this.#matched === DATA.length) {
      this.tokens = parseTokens(this.#fields.value(0)) ?? this.tokens;
      if (this.#modelLines > 0) {
        this.model = parseModel(this.#fields.value(1));
        this.#modelLines = this.model === undefined ? this.#modelLines - 1 : 0;
      }
      this.#fields = new JsonFields(this.#modelLines > 0 ? USAGE_AND_MODEL : USAGE_ONLY);
    }
    this.#matched = 0;
  }
}

const NAMED = Buffer.from(`"${USAGE.toString()}"`);
/** How far to move on, by the byte at the position of the last byte of `NAMED` (Horspool 1980). */
const SKIPS = Uint8Array.from({ length: 256 }, (_, byte) => NAMED.length - 1 - NAMED.subarray(0, -1).lastIndexOf(byte));

/** True if `"usage"` occurs. Takes a third of the time of `Buffer.includes` for events of 200 bytes. */
function mentionsUsage(bytes: Uint8Array): boolean {
  const length = NAMED.length;
  for (let end = length - 1; end < bytes.length; end += SKIPS[bytes[end] ?? 0] ?? length) {
    let same = 0;
    while (same < length && bytes[end - same] === NAMED[length - 1 - same]) same++;
    if (same === length) return true;
  }
  return false;
}

/** The tokens of a `usage` object; undefined if a count is invalid. Embeddings have only input tokens. */
export function parseTokens(json: string | undefined): Tokens | undefined {
  if (json === undefined) return undefined; // the usual case, and the parser's exception would be slow
  const {
    prompt_tokens: input,
    completion_tokens: output = 0,
    prompt_tokens_details: details,
  } = fieldsOf(parseJson(json));
  if (!isTokenCount(input) || !isTokenCount(output)) return undefined;
  const { cached_tokens: cached } = fieldsOf(details);
  return { input, output, cached: isTokenCount(cached) && cached <= input ? cached : null };
}

/** A JSON text of printable ASCII characters without escapes. */
const PLAIN = /^"[ !#-[\]-~]*"$/;

/**
 * The name in a `model` field, cut off after `MAX_MODEL_LENGTH` characters; undefined if the field has no text.
 * @param json each byte is one character
 */
export function parseModel(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  if (json.length <= MAX_MODEL_LENGTH && PLAIN.test(json)) return json.slice(1, -1) || undefined; // the usual case, at once
  const name = parseJson(Buffer.from(json, 'latin1'));
  if (typeof name !== 'string' || name === '') return undefined;
  return Array.from(name.slice(0, 2 * MAX_MODEL_LENGTH).toWellFormed())
    .slice(0, MAX_MODEL_LENGTH)
    .join('');
}
