// JSON whose numbers keep their digits, for values that are only passed on: JavaScript's numbers would change some, such as
// 12345678901234567891, 1e400 and 1.0. A reviver would do the same, but makes the parser many times slower.
import { parseJson } from '../shared/json.ts';

/** Begins a string that means something else while the text is parsed: a number, or a string that begins with it itself. */
const MARK = String.fromCharCode(0x91);
const ESCAPED_MARK = String.raw`\u0091`;
const NUMBER_MARK = `${MARK}n`;
const TEXT_MARK = `${MARK}t`;
const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const CAPITAL_EXPONENT = 0x45;
const BACKSLASH = 0x5c;
const EXPONENT = 0x65;
const NUMBER = /-?\d[\d.eE+-]*/y;
const COLON = /\s*:/y;
/** A number that JavaScript always writes in the same way, unless it is longer than `SIMPLE_LENGTH`. */
const SIMPLE = /^-?(?:[1-9]\d*|(?:0|[1-9]\d*)\.\d{0,5}[1-9])$/;
const SIMPLE_LENGTH = 15;
const VALID = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * As `parseJson`, but a number that JavaScript would write in another way is a `RawJson`, which `JSON.stringify` writes as it
 * was. The functions that read fields of requests also take those as numbers.
 */
export function parseExactJson(text: string | Uint8Array): unknown {
  return parseJson(text, (json) => {
    const marked = markNumbers(json);
    return marked === json ? JSON.parse(json) : restoreNumbers(JSON.parse(marked));
  });
}

/**
 * Puts each number that would change into a string, and marks each string that could be taken for one. The text may be
 * invalid: then it still is.
 */
function markNumbers(json: string): string {
  let marked = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const start = at + 1;
      at = endOfString(json, start);
      if (isMarked(json, start) && !isName(json, at + 1)) {
        marked += json.slice(from, start) + TEXT_MARK;
        from = start;
      }
    } else if (code === MINUS || isDigit(code)) {
      let end = endOfDigits(json, at);
      if (code === MINUS || end - at > SIMPLE_LENGTH || isPartOfNumber(json.charCodeAt(end))) {
        NUMBER.lastIndex = at;
        end = NUMBER.test(json) ? NUMBER.lastIndex : at + 1;
        if (changes(json.slice(at, end)) && !isName(json, end)) {
          marked += `${json.slice(from, at)}"${NUMBER_MARK}${json.slice(at, end)}"`;
          from = end;
        }
      }
      at = end - 1;
    }
  }
  return from === 0 ? json : marked + json.slice(from);
}

function isMarked(json: string, start: number): boolean {
  return json.startsWith(MARK, start) || json.startsWith(ESCAPED_MARK, start);
}

/** The index of the quote that ends a string; the length of the text if there is none. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > start && json.charCodeAt(end - escapes - 1) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

function endOfDigits(json: string, start: number): number {
  let end = start;
  while (isDigit(json.charCodeAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Of one that is not an integer, or written with an exponent. */
function isPartOfNumber(code: number): boolean {
  return code === DOT || code === EXPONENT || code === CAPITAL_EXPONENT;
}

/** Whether a colon follows: a number cannot be a name, but the string in its place could. Names are not restored. */
function isName(json: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(json);
}

/** Whether this is a number of JSON that JavaScript would write in another way. */
function changes(token: string): boolean {
  if (token.length <= SIMPLE_LENGTH && SIMPLE.test(token)) return false;
  return token !== String(Number(token)) && VALID.test(token);
}

/** Not recursive, because the value may be nested deeply. */
function restoreNumbers(parsed: unknown): unknown {
  const root = [parsed];
  const open: unknown[][] = [root];
  const restore = (value: unknown) => {
    if (typeof value === 'string') return value.startsWith(MARK) ? restoreString(value) : value;
    if (typeof value === 'object' && value !== null) open.push(value as unknown[]);
    return value;
  };
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      for (let index = 0; index < container.length; index++) container[index] = restore(container[index]);
    } else {
      const fields = container as Record<string, unknown>;
      for (const name of Object.keys(fields)) fields[name] = restore(fields[name]);
    }
  }
  return root[0];
}

function restoreString(marked: string): unknown {
  const text = marked.slice(NUMBER_MARK.length);
  return marked.startsWith(NUMBER_MARK) ? JSON.rawJSON(text) : text;
}
