// Reads one field of a JSON object from a stream of text, and keeps nothing else of it. It does not check that the rest
// of the text is valid JSON.
import { asBuffer } from '../../shared/bytes.ts';

/** Longer values are ignored, in bytes. */
const MAX_VALUE = 4096;
/** For a key that differs from the name: larger than the length of any name. */
const MISMATCH = 1000;

const [SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x20, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The reader's position: before the object, in a key or a value of the outermost object, in the value of the field, or
 * after the object. `invalid`: the text is not a single object.
 */
type Position = 'before' | 'key' | 'value' | 'field' | 'after' | 'invalid';

/** The loops use local variables for speed, because they read every byte of a long response. */
export class JsonField {
  readonly #name: Uint8Array;
  #position: Position = 'before';
  /** The number of open brackets. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** How many bytes of the current key match the name, or `MISMATCH`. */
  #matched = 0;
  /** The value so far; undefined if the field has not been found, or its value is too long. */
  #text: string | undefined;

  /** @param name ASCII, written without escapes in the text */
  constructor(name: Uint8Array) {
    this.#name = name;
  }

  /**
   * The JSON of the field's value, once the object is complete; undefined until then, or if the field is missing. The
   * last one of repeated fields. Each byte is one character: UTF-8 is not decoded.
   */
  get value(): string | undefined {
    return this.#position === 'after' ? this.#text : undefined;
  }

  /** Reads the next chunk of the text: `bytes` from `start` to `end`. */
  push(bytes: Uint8Array, start = 0, end = bytes.length): void {
    let from = start;
    let at = start;
    while (at < end && this.#position !== 'invalid') {
      if (this.#inString) {
        at = this.#readString(bytes, at, end);
      } else if (this.#depth > 1) {
        at = this.#readInside(bytes, at, end);
      } else {
        const before = this.#position;
        this.#readMark(bytes[at] ?? 0);
        if (before === 'field' && this.#position !== before) this.#keep(bytes, from, at);
        at++;
        if (this.#position === 'field' && this.#position !== before) {
          this.#text = '';
          from = at;
        }
      }
    }
    if (this.#position === 'field') this.#keep(bytes, from, end);
  }

  /** Reads one byte in the outermost object, or outside of it. */
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
        this.#position = 'after';
        break;
      case COMMA:
        this.#position = 'key';
        break;
      case COLON:
        if (this.#position === 'key') this.#position = this.#matched === this.#name.length ? 'field' : 'value';
        break;
    }
  }

  /** Only white space may precede or follow the object. */
  #readOutside(byte: number): void {
    if (byte <= SPACE) return;
    const opens = this.#position === 'before' && byte === OPEN_OBJECT;
    this.#position = opens ? 'key' : 'invalid';
    this.#depth = opens ? 1 : 0;
  }

  /** Reads nested values up to the next string or their end, and returns the index after it. */
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

  /** Reads up to the end of the string, and returns the index after it; `end` if the string is not complete yet. */
  #readString(bytes: Uint8Array, start: number, end: number): number {
    const name = this.#name;
    const isKey = this.#depth === 1 && this.#position === 'key';
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
      if (isKey) matched = matched < name.length && byte === name[matched] ? matched + 1 : MISMATCH;
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
