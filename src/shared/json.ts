import { isUtf8 } from 'node:buffer';
import { asBuffer } from './bytes.ts';

declare global {
  /** The text of a number. `JSON.stringify` writes it as it is. */
  interface RawJson {
    readonly rawJSON: string;
  }

  /** Of ECMAScript 2026; Node has it since 22. */
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
}

/**
 * The value of a JSON text (as bytes: in UTF-8), or undefined. Ignores the parser's message: it quotes the text.
 * @param parse throws if the text is not valid
 */
export function parseJson(text: string | Uint8Array, parse: (json: string) => unknown = JSON.parse): unknown {
  if (typeof text !== 'string' && !isUtf8(text)) return undefined;
  try {
    return parse(typeof text === 'string' ? text : asBuffer(text).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Whether every parser finds the same in a JSON text: no object has a name twice, and numbers are written as
 * integers and not as -0.
 * @param value what `parseJson` returns for it; must not be nested deeply
 */
export function isUnambiguous(text: string, value: unknown): boolean {
  return countNames(text) === countNames(JSON.stringify(value)) && !/\d[.eE]|-0/.test(text.replaceAll(STRING, ''));
}

/** With the colon of a name. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?/g;

function countNames(text: string): number {
  return [...text.matchAll(STRING)].filter(({ groups }) => groups?.['colon'] !== undefined).length;
}

/** `value` as an object with named fields, or undefined for anything else (arrays, null and a `RawJson` included). */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** As `asObject`, but an empty object for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return asObject(value) ?? {};
}

/** `value` if it is an object with exactly the fields `names`, else undefined. */
export function exactFields<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): Readonly<Record<Name, unknown>> | undefined {
  const fields = asObject(value);
  if (fields === undefined || Object.keys(fields).length !== names.length) return undefined;
  return names.every((name) => Object.hasOwn(fields, name)) ? fields : undefined;
}

/** `value` if it is a text, else an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Of a value from another process or version: to be put beside the type that it is for. */
export type Check = (value: unknown) => boolean;
/** By the name of the field. */
export type Checks = Readonly<Record<string, Check>>;

export const isString: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const isBoolean: Check = (value) => typeof value === 'boolean';

/** True for a finite number that is not negative. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function isOneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function isOptional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function isNullOr(check: Check): Check {
  return (value) => value === null || check(value);
}

export function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every((item) => check(item));
}

/** True for an object whose fields pass these checks. Further fields are allowed. */
export function passes(value: unknown, checks: Checks): boolean {
  const fields = asObject(value);
  return fields !== undefined && Object.entries(checks).every(([name, check]) => check(fields[name]));
}
