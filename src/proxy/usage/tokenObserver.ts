// Reads the token counts that a response reports. An observer gets the chunks of the response after they were sent to
// the client; it keeps and delays none of them.
import type { HeaderField } from '../../session/wire.ts';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { fieldValue, isEventStreamType } from '../http/headers.ts';
import { JsonField } from './jsonField.ts';

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface TokenObserver {
  push(bytes: Uint8Array): void;
  /** The counts that were reported last; undefined if none were reported so far. */
  readonly tokens: Tokens | undefined;
}

const USAGE = Buffer.from('usage');

/** An observer for a response with these headers; undefined if it cannot report tokens, or is compressed. */
export function createTokenObserver(headers: readonly HeaderField[]): TokenObserver | undefined {
  if ((fieldValue(headers, 'content-encoding') ?? 'identity') !== 'identity') return undefined;
  if (isEventStream(headers)) return new EventStreamObserver();
  return /^application\/json\s*(;|$)/i.test(fieldValue(headers, 'content-type') ?? '') ? new JsonObserver() : undefined;
}

export function isEventStream(headers: readonly HeaderField[]): boolean {
  return isEventStreamType(fieldValue(headers, 'content-type'));
}

/** For a response that is one JSON object. */
class JsonObserver implements TokenObserver {
  readonly #usage = new JsonField(USAGE);

  push(bytes: Uint8Array): void {
    this.#usage.push(bytes);
  }

  get tokens(): Tokens | undefined {
    return parseTokens(this.#usage.value);
  }
}

const LINE_FEED = 0x0a;
const DATA = Buffer.from('data:');
/** For a line that does not begin with `DATA`. */
const MISMATCH = DATA.length + 1;

/**
 * For an event stream with one JSON object in each `data` line. Most events do not contain `usage`, so a chunk of
 * complete lines without it is skipped.
 */
class EventStreamObserver implements TokenObserver {
  tokens: Tokens | undefined;
  /** How many bytes of the current line match `DATA`, or `MISMATCH`. */
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

  /** Reads a part of one line. */
  #read(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    for (; at < end && this.#matched < DATA.length; at++) {
      this.#matched = bytes[at] === DATA[this.#matched] ? this.#matched + 1 : MISMATCH;
    }
    if (this.#matched === DATA.length) this.#usage.push(bytes, at, end);
  }

  #endLine(): void {
    if (this.#matched === DATA.length) {
      this.tokens = parseTokens(this.#usage.value) ?? this.tokens;
      this.#usage = new JsonField(USAGE);
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

/** More than any response can have: larger counts are invalid, and would spoil a sum. */
const MAX_TOKENS = 1e9;

/** The tokens of a `usage` object; undefined if a count is invalid. Embeddings have only input tokens. */
export function parseTokens(json: string | undefined): Tokens | undefined {
  if (json === undefined) return undefined; // the usual case, and the parser's exception would be slow
  const { prompt_tokens: input, completion_tokens: output = 0 } = fieldsOf(parseJson(json));
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
