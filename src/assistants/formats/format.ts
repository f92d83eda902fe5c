// The formats of configuration files whose values are set one by one: what all of them have in common. Pure.
import { isDeepStrictEqual } from 'node:util';
import { redactValue } from '../../presentation/redaction.ts';
import { asObject } from '../../shared/json.ts';

export type Path = readonly (string | number)[];

export interface Setting {
  /** A number is an index into a list. The index after the last one appends. */
  readonly path: Path;
  /** Undefined removes the value, which must exist. */
  readonly value: unknown;
  /** The value becomes the first item of the list at the path. */
  readonly isFirst?: true;
  /** What the user is told is set; by default, the path. */
  readonly label?: string;
}

export interface Edited {
  readonly text: string;
  /** For the user, without secrets. */
  readonly changes: readonly string[];
}

export interface ConfigFormat {
  /** The value of a text, `{}` for an empty one; undefined if it does not parse. */
  read(text: string): unknown;
  /** The text with these values; every other byte stays. Undefined if they cannot be set. */
  set(text: string, settings: readonly Setting[]): Edited | undefined;
  /** A text with these values and nothing else. */
  write(values: object): string;
}

const BOM = '\ufeff';

/** What a format does with a text without a byte order mark. */
interface Editor {
  readonly read: (text: string) => unknown;
  /** The text with one value; undefined if that cannot be done. */
  readonly edit: (text: string, setting: Setting, before: unknown) => string | undefined;
  /** What the edited text should mean, given what was wanted, if that differs. */
  readonly adjust?: (wanted: unknown, setting: Setting, edited: string) => unknown;
}

/**
 * The text with these values. Does not touch a value that is already there, so a second call changes nothing.
 * @returns undefined if the text cannot have them, or if they cannot be set without changing anything else
 */
export function setEach(
  text: string,
  settings: readonly Setting[],
  { read, edit, adjust = (wanted) => wanted }: Editor,
): Edited | undefined {
  const bom = text.startsWith(BOM) ? BOM : '';
  let edited = text.slice(bom.length);
  let wanted = read(edited);
  if (wanted === undefined) return undefined;
  const changes: string[] = [];
  for (const setting of settings) {
    const { path, value, isFirst } = setting;
    const current = valueAt(wanted, path);
    const before = isFirst === true ? undefined : current;
    if (isFirst !== true && isDeepStrictEqual(before, value)) continue;
    const next = edit(edited, setting, before);
    if (next === undefined) return undefined;
    const items: readonly unknown[] = Array.isArray(current) ? current : [];
    wanted = adjust(withValue(wanted, path, isFirst === true ? [value, ...items] : value), setting, next);
    edited = next;
    changes.push(describeChange(nameOf(setting), before, value));
  }
  // Guards against every mistake of an editor: these values are set or removed, and nothing else has another value.
  return isDeepStrictEqual(read(edited), wanted) ? { text: bom + edited, changes } : undefined;
}

function nameOf({ path, isFirst, label }: Setting): string {
  const parts = isFirst === true ? [...path, 0] : path;
  return label ?? parts.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join('.');
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    const members = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(members, part) ? members[part] : undefined;
  }, root);
}

/** A copy of `root` with one value set, or removed if it is undefined. */
export function withValue(root: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === 'number') {
    const items: readonly unknown[] = Array.isArray(root) ? root : [];
    const item = withValue(items[name], rest, value);
    return [...items.slice(0, name), ...(item === undefined ? [] : [item]), ...items.slice(name + 1)];
  }
  const fields = (root ?? {}) as Readonly<Record<string, unknown>>;
  const all = { ...fields, [name]: withValue(fields[name], rest, value) };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined));
}

/** The settings for the single values of an object that exists, so that its other members stay. */
export function mergeInto(root: unknown, setting: Setting): readonly Setting[] {
  const { path, value, isFirst } = setting;
  const fields = asObject(value);
  if (isFirst === true) return [setting];
  if (fields === undefined || asObject(valueAt(root, path)) === undefined) return [{ path, value }];
  return Object.entries(fields).flatMap(([name, each]) => mergeInto(root, { path: [...path, name], value: each }));
}

/** @param name may be a path; its end decides whether the values are secret */
export function describeChange(name: string, before: unknown, after: unknown): string {
  if (after === undefined) return `removes ${name}`;
  if (before !== undefined) return `changes ${name} from ${redactValue(name, before)} to ${redactValue(name, after)}`;
  return typeof after === 'object' ? `adds ${name}` : `sets ${name} to ${redactValue(name, after)}`;
}
