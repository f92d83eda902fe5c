// Reads the fields of a request that anyone may have made, and names the field in each error.
import { asObject } from '../shared/json.ts';
import { invalidField } from './dialectError.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** @throws DialectError if the value is not an object */
export function objectAt(path: string, value: unknown): Fields {
  const fields = asObject(value);
  if (fields === undefined) throw invalidField(path, 'must be an object.');
  return fields;
}

/** @throws DialectError if the value is not an array */
export function arrayAt(path: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidField(path, 'must be an array.');
  return value;
}

/** @throws DialectError if the value is not a string */
export function stringAt(path: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidField(path, 'must be a string.');
  return value;
}

/** The value, or undefined if it is missing or null. */
export function optional<Value>(
  read: (path: string, value: unknown) => Value,
  path: string,
  value: unknown,
): Value | undefined {
  return value === undefined || value === null ? undefined : read(path, value);
}

type Reader = (path: string, value: unknown) => unknown;
type Readers = Readonly<Record<string, Reader>>;
/** The values that these readers return; without those that are missing. */
export type FieldsOf<Known extends Readers> = { -readonly [Name in keyof Known]?: ReturnType<Known[Name]> };

/**
 * The fields that these readers describe, without those that are missing or null.
 * @param readers by the names of the fields
 * @param path of the object; empty for the request itself
 */
export function optionalFields<Known extends Readers>(fields: Fields, readers: Known, path = ''): FieldsOf<Known> {
  const found: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(readers)) {
    const value = optional(read, path === '' ? name : `${path}.${name}`, fields[name]);
    if (value !== undefined) found[name] = value;
  }
  return found as FieldsOf<Known>;
}

/** @throws DialectError if the value is not a finite number */
export function numberAt(path: string, value: unknown): number {
  const number = JSON.isRawJSON(value) ? Number(value.rawJSON) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw invalidField(path, 'must be a number.');
  return number;
}

/** @throws DialectError if the value is not an integer of at least 1 */
export function countAt(path: string, value: unknown): number {
  const count = numberAt(path, value);
  if (!Number.isInteger(count) || count < 1) throw invalidField(path, 'must be an integer of at least 1.');
  return count;
}

/** @throws DialectError if the value is not one of these */
export function oneOf<Value extends string>(path: string, value: unknown, known: readonly Value[]): Value {
  const found = known.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw invalidField(path, `must be one of ${known.map((candidate) => JSON.stringify(candidate)).join(', ')}.`);
}

/**
 * @param problems by the names of fields that must be missing or null
 * @throws DialectError with the problem of a field that is not
 */
export function rejectFields(fields: Fields, problems: Readonly<Record<string, string>>): void {
  for (const [name, problem] of Object.entries(problems)) {
    if (fields[name] !== undefined && fields[name] !== null) throw invalidField(name, problem);
  }
}

/** @throws DialectError if the value is not a boolean */
export function booleanAt(path: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalidField(path, 'must be true or false.');
  return value;
}

/** Deeper values would exhaust the stack of those who write or copy them. */
const MAX_DEPTH = 200;

/**
 * The JSON text of a value of any form.
 * @throws DialectError if it is nested too deeply
 */
export function jsonAt(path: string, value: unknown): string {
  if (isDeeper(value, MAX_DEPTH)) throw invalidField(path, `must not be nested more than ${MAX_DEPTH} levels deep.`);
  return JSON.stringify(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
