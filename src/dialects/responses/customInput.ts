// The input of a custom tool, which the model writes as the only argument of a function.
import { asObject } from '../../shared/json.ts';
import { parseResponseJson } from '../jsonValues.ts';
import { CUSTOM_INPUT } from './tools.ts';

/** Up to the first character of the argument. */
const START = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);
/** In characters. Longer than any start. */
const MAX_START = 1000;
const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis;
const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Decodes the argument while its JSON arrives in chunks that may end anywhere. */
export class CustomInput {
  #state: 'start' | 'inside' | 'over' | 'unknown' = 'start';
  /** What came before the argument: everything if the argument was not found. */
  #before = '';
  /** An escape that is not complete. */
  #escape = '';
  /** The first half of a character. */
  #half = '';
  #input = '';

  /** All of the input so far. */
  get input(): string {
    return this.#input;
  }

  /** More of the input. */
  push(json: string): string {
    if (this.#state === 'over') return '';
    if (this.#state === 'inside') return this.#decode(json);
    this.#before += json;
    if (this.#state === 'unknown') return '';
    const start = START.exec(this.#before.slice(0, MAX_START));
    if (start !== null) {
      this.#state = 'inside';
      return this.#decode(this.#before.slice(start[0].length));
    }
    if (this.#before.length >= MAX_START) this.#state = 'unknown';
    return '';
  }

  /** The end of the JSON: the rest of the input. */
  end(): string {
    if (this.#state === 'over') return '';
    if (this.#state === 'inside') return this.#add(this.#half);
    return this.#add(findInput(this.#before));
  }

  #decode(chunk: string): string {
    const json = this.#escape + chunk;
    let end = 0;
    while (end < json.length && json[end] !== '"') {
      const length = json[end] === '\\' ? (json[end + 1] === 'u' ? 6 : 2) : 1;
      if (end + length > json.length) break;
      end += length;
    }
    const isOver = json[end] === '"';
    this.#escape = isOver ? '' : json.slice(end);
    const text = this.#half + json.slice(0, end).replaceAll(ESCAPE, unescape);
    const isHalf = !isOver && /[\uD800-\uDBFF]$/.test(text);
    this.#half = isHalf ? text.slice(-1) : '';
    if (isOver) this.#state = 'over';
    return this.#add(isHalf ? text.slice(0, -1) : text);
  }

  #add(text: string): string {
    const valid = text.toWellFormed();
    this.#input += valid;
    return valid;
  }
}

function unescape(escape: string, hex: string | undefined, character = ''): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return ESCAPED[character] ?? escape;
}

/** The input in arguments that are not as asked for: the only field if it is a text, else all of it. */
function findInput(json: string): string {
  const fields = asObject(parseResponseJson(json));
  const values = Object.values(fields ?? {});
  const input = fields?.[CUSTOM_INPUT] ?? (values.length === 1 ? values[0] : undefined);
  return typeof input === 'string' ? input : json;
}
