// Measures JSON before it is read or written. Each value takes far more memory than its bytes, and Node ends the process, not
// only its thread, when the memory is used up while it parses or writes.
import { parseJson } from '../shared/json.ts';

/** The most values in one JSON text of a response: far more than responses have, and read in some milliseconds. */
const MAX_VALUES = 131_072;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
const OBJECT = 0x7b;

/** The value of a JSON text in a response, as `parse` reads it. Undefined if it is not valid, or has too many values. */
export function parseResponseJson(json: string, parse: (json: string) => unknown = parseJson): unknown {
  return json.length > MAX_VALUES && countValues(Buffer.from(json)) > MAX_VALUES ? undefined : parse(json);
}

/** At least the number of values, and at most three times as many. The text may be invalid. */
export function countValues(json: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA || byte === COLON || byte === ARRAY || byte === OBJECT) count++;
  }
  return count;
}

/** The index of the quote that ends a string; the length of the text if there is none. */
function endOfString(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(QUOTE, start); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (end - escapes > start && json[end - escapes - 1] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

/** Whether the JSON text of a value is longer than this many characters. It is not written for that. */
export function isJsonLonger(value: unknown, limit: number): boolean {
  const left: unknown[] = [value];
  let length = 0;
  while (left.length > 0 && length <= limit) {
    const next = left.pop();
    length += 1;
    if (typeof next === 'string') length += next.length;
    else if (JSON.isRawJSON(next)) length += next.rawJSON.length;
    else if (Array.isArray(next)) for (const inner of next) left.push(inner);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) {
        length += name.length;
        left.push(inner);
      }
    }
  }
  return length > limit;
}
