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

/**
 * True if an object in a valid JSON text has two fields of the same name: then readers differ in which one they take.
 * @param value of the text
 */
export function hasRepeatedNames(json: Uint8Array, value: unknown): boolean {
  const strings = asBuffer(json)
    .toString('utf8')
    .matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g);
  return [...strings].filter(([, colon]) => colon !== undefined).length !== countFields(value);
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values = Object.values(value);
  return values.reduce<number>((sum, field) => sum + countFields(field), Array.isArray(value) ? 0 : values.length);
}
