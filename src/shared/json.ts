import { isUtf8 } from 'node:buffer';
import { asBuffer } from './bytes.ts';

/** The value of a JSON text (as bytes: in UTF-8), or undefined. Ignores the parser's message: it quotes the text. */
export function parseJson(text: string | Uint8Array): unknown {
  if (typeof text !== 'string' && !isUtf8(text)) return undefined;
  try {
    return JSON.parse(typeof text === 'string' ? text : asBuffer(text).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Whether every parser finds the same in a JSON text: no object has a name twice, and numbers are written as integers.
 * @param value what `parseJson` returns for it
 */
export function isUnambiguous(text: string, value: unknown): boolean {
  return countNames(text) === countNames(JSON.stringify(value)) && !/\d[.eE]/.test(text.replaceAll(STRING, ''));
}

/** With the colon of a name. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?/g;

function countNames(text: string): number {
  return [...text.matchAll(STRING)].filter(({ groups }) => groups?.['colon'] !== undefined).length;
}

/** `value` as an object with named fields, or undefined for anything else (arrays and null included). */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
