// Reads a few fields of a JSON object from a stream of text, and keeps nothing else of it. It does not check that the rest
// of the text is valid JSON.
import { asBuffer } from '../../shared/bytes.ts';

/** Longer values are ignored, in bytes. */
const MAX_VALUE = 4096;
/** For a key that differs from all names: larger than the length of any name. */
const MISMATCH = 1000;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Differs between a capital and a small letter. */
const CASE = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** 1 for each byte that means something in the outermost object, outside of strings. */
const IS_MARK = new Uint8Array(256);
for (const mark of [QUOTE, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) IS_MARK[mark] = 1;

/**
 * The reader's position: before the object, in a key or a value of the outermost object, in the value of one of the fields,
 * or after the object. `invalid`: the text is not a single object.
 */
type Position = 'before' | 'key' | 'value' | 'field' | 'after' | 'invalid';

/** The loops use local variables for speed, because they read every byte of a long response. */
export class JsonFields {
  readonly #names: readonly Uint8Array[];
  readonly #isStrict: boolean;
  #position: Position = 'before';
  /** The number of open brackets. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The index of the name that the current key begins like, and how many bytes of it match, or `MISMATCH`. */
  #candidate = 0;
  #matched = 0;
  /** The current key has another case than the name. */
  #isOtherCase = false;
  /** The index of the field whose value is being read. */
  #field = 0;
  /** The values so far; undefined for a field that has not been found, or whose value is too long. */
  readonly #texts: (string | undefined)[] = [];

  /**
   * @param names small ASCII letters, written without escapes in the text; their first letters differ
   * @param isStrict true: an object that another parser may read differently counts as invalid. It has a field twice or in
   * another case, keys with escapes, a value that is too long, or zeros, as UTF-16 and UTF-32 have.
   */
  constructor(names: readonly Uint8Array[], isStrict = false) {
    this.#names = names;
    this.#isStrict = isStrict;
  }

  /**
   * The JSON of a field's value, once the object is complete; undefined until then, or if the field is missing. The last one
   * of repeated fields. Each byte is one character: UTF-8 is not decoded.
   * @param index of the field's name
   */
  value(index: number): string | undefined {
    return this.#position === 'after' ? this.#texts[index] : undefined;
  }

  /** Reads the next chunk of the text: `bytes` from `start` to `end`. */
  push(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (this.#isStrict && bytes.subarray(start, end).includes(0)) this.#position = 'invalid';
    let from = start;
    let at = start;
    while (at < end && this.#position !== 'invalid') {
      if (this.#inString) {
        at = this.#readString(bytes, at, end);
      } else if (this.#depth > 1) {
        at = this.#readInside(bytes, at, end);
      } else if (this.#depth === 1 && IS_MARK[bytes[at] ?? 0] === 0) {
        at++;
      } else {
        const before = this.#position;
        this.#readMark(bytes[at] ?? 0);
        if (before === 'field' && this.#position !== before) this.#keep(bytes, from, at);
        at++;
        if (this.#position === 'field' && this.#position !== before) {
          this.#texts[this.#field] = '';
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
        this.#isOtherCase = false;
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
        if (this.#position === 'key') this.#beginValue();
        break;
    }
  }

  #beginValue(): void {
    const isField = this.#matched === this.#names[this.#candidate]?.length;
    this.#field = this.#candidate;
    const isUnclear = isField && (this.#isOtherCase || (this.#isStrict && this.#texts[this.#field] !== undefined));
    this.#position = isUnclear ? 'invalid' : isField ? 'field' : 'value';
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
    const isKey = this.#depth === 1 && this.#position === 'key';
    let escaped = this.#escaped;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE && !escaped) break;
      escaped = byte === BACKSLASH && !escaped;
    }
    this.#escaped = escaped;
    if (isKey) this.#compareKey(bytes, start, at);
    if (at === end) return at;
    this.#inString = false;
    return at + 1;
  }

  #compareKey(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isStrict && bytes.subarray(start, end).includes(BACKSLASH)) this.#position = 'invalid';
    let matched = this.#matched;
    if (matched === 0 && start < end) this.#choose(bytes[start]);
    const name = this.#names[this.#candidate];
    for (let at = start; at < end && matched !== MISMATCH; at++) {
      const byte = bytes[at] ?? 0;
      const expected = name?.[matched];
      const isOtherCase = this.#isStrict && byte !== expected && (byte | CASE) === expected;
      if (isOtherCase) this.#isOtherCase = true;
      matched = isOtherCase || byte === expected ? matched + 1 : MISMATCH;
    }
    this.#matched = matched;
  }

  /** Chooses the name that begins with this byte; if there is none, any. */
  #choose(byte: number | undefined): void {
    const names = this.#names;
    this.#candidate = 0;
    for (let index = 1; index < names.length; index++) if (names[index]?.[0] === byte) this.#candidate = index;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    const text = this.#texts[this.#field];
    if (text === undefined) return;
    const isShort = text.length + end - start <= MAX_VALUE;
    this.#texts[this.#field] = isShort ? text + asBuffer(bytes).toString('latin1', start, end) : undefined;
    if (this.#isStrict && !isShort) this.#position = 'invalid';
  }
}
