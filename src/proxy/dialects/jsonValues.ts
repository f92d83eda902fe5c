// Counts the values in JSON text before it is parsed: each takes far more memory than its bytes, and Node's parser ends the
// process, not only its thread, when the memory is used up.

const [QUOTE, BACKSLASH, COMMA, COLON, ARRAY, OBJECT] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

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
