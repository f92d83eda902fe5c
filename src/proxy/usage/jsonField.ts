// One field of a JSON object, found while the text passes: what is not that field's value is looked at and not kept.
// Whether the rest of the text is JSON is for its receiver to judge.
import { asBuffer } from '../../shared/bytes.ts';

/** A longer value is not read, in bytes. */
const MAX_VALUE = 4096;
/** More than a name has bytes. */
const OTHER = 1000;

const [SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x20, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Where in the text the reader stands: before the object, behind it, or in one of the outermost object's keys or values.
 * What is not one object has no fields.
 */
type Place = 'before' | 'key' | 'value' | 'sought' | 'behind' | 'no-object';

/** Its loops work on local variables: a long answer goes through them byte by byte. */
export class JsonField {
  readonly #name: Uint8Array;
  #place: Place = 'before';
  /** How many brackets are open. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** How many bytes of a key are those of the name; `OTHER` if they are not. */
  #matched = 0;
  /** The bytes of the value so far; undefined while there is none, or it is too long. */
  #text: string | undefined;

  /** @param name ASCII, and spelt in the text without escapes */
  constructor(name: Uint8Array) {
    this.#name = name;
  }

  /** The field's JSON, once the object is whole; the last one where there are several. Non-ASCII is not decoded. */
  get value(): string | undefined {
    return this.#place === 'behind' ? this.#text : undefined;
  }

  /** The bytes of the text from `start` to `end`, in any pieces. */
  push(bytes: Uint8Array, start = 0, end = bytes.length): void {
    let from = start;
    let at = start;
    while (at < end && this.#place !== 'no-object') {
      if (this.#inString) {
        at = this.#readString(bytes, at, end);
      } else if (this.#depth > 1) {
        at = this.#readInside(bytes, at, end);
      } else {
        const before = this.#place;
        this.#readMark(bytes[at] ?? 0);
        if (before === 'sought' && this.#place !== before) this.#keep(bytes, from, at);
        at++;
        if (this.#place === 'sought' && this.#place !== before) {
          this.#text = '';
          from = at;
        }
      }
    }
    if (this.#place === 'sought') this.#keep(bytes, from, end);
  }

  /** A byte of the outermost level, or outside. */
  #readMark(byte: number): void {
    if (this.#depth === 0) {
      this.#readOutside(byte);
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        this.#matched = 0;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#depth++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#depth--;
        this.#place = 'behind';
        break;
      case COMMA:
        this.#place = 'key';
        break;
      case COLON:
        if (this.#place === 'key') this.#place = this.#matched === this.#name.length ? 'sought' : 'value';
        break;
    }
  }

  /** There is one object, and nothing before or behind it. */
  #readOutside(byte: number): void {
    if (byte <= SPACE) return;
    const opens = this.#place === 'before' && byte === OPEN_OBJECT;
    this.#place = opens ? 'key' : 'no-object';
    this.#depth = opens ? 1 : 0;
  }

  /** Reads the inner levels on to where the next string begins or they end, and returns the place behind that. */
  #readInside(bytes: Uint8Array, start: number, end: number): number {
    let depth = this.#depth;
    let at = start;
    while (at < end && depth > 1 && !this.#inString) {
      const byte = bytes[at++];
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    }
    this.#depth = depth;
    return at;
  }

  /** Reads on to the end of the string, and returns the place behind it; `end` if it is not here yet. */
  #readString(bytes: Uint8Array, start: number, end: number): number {
    const name = this.#name;
    const isKey = this.#depth === 1 && this.#place === 'key';
    let matched = this.#matched;
    let escaped = this.#escaped;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE && !escaped) {
        this.#inString = false;
        at++;
        break;
      }
      escaped = byte === BACKSLASH && !escaped;
      if (isKey) matched = matched < name.length && byte === name[matched] ? matched + 1 : OTHER;
    }
    this.#matched = matched;
    this.#escaped = escaped;
    return at;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.#text === undefined) return;
    const isShort = this.#text.length + end - start <= MAX_VALUE;
    this.#text = isShort ? this.#text + asBuffer(bytes).toString('latin1', start, end) : undefined;
  }
}
