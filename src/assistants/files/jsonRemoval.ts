// Removes our entry from a JSON text that another program has edited since, and leaves every other byte. Pure. `modify`
// of jsonc-parser does not: it also removes the comments around a member, and those of the previous member.
import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { fieldsOf } from '../../shared/json.ts';
import { OPTIONS, endOf, readJson, setValues, trailing, withValue } from './jsonEdit.ts';
import type { Dialect, Path } from './jsonEdit.ts';
import { lineStart, replaceRange } from './textEdit.ts';

/** The parts of a configuration that Sealed Proxy writes. */
export interface ManagedPaths {
  /** Our own entries, to be removed. */
  readonly entries: readonly Path[];
  /** The user's settings that select our entry, to get back their previous values. */
  readonly switches: readonly Path[];
}

/**
 * The text without our entries, and with the previous values of the switches. Everything else stays as it is now.
 * @param before the text before our first change; empty if there was no file
 * @param find the parts that are ours in a value
 * @returns undefined if that cannot be done without changing anything else
 */
export function removeJsonEntry(
  text: string,
  before: string,
  dialect: Dialect,
  find: (value: unknown) => ManagedPaths,
): string | undefined {
  const [now, then] = [readJson(text, dialect), readJson(before, dialect)];
  if (now === undefined || then === undefined) return undefined;
  const { entries, switches } = find(now);
  let [rest, wanted]: [string, unknown] = [text, now];
  // Backwards, because removing a list item moves the items after it.
  for (const path of [...entries, ...switches].toReversed()) {
    const value = typeof path.at(-1) === 'number' ? undefined : valueAt(then, path);
    const edited =
      value === undefined ? removed(rest, path, dialect) : setValues(rest, [{ path, value }], dialect)?.text;
    if (edited === undefined) return undefined;
    rest = edited;
    wanted = value === undefined ? withoutValue(wanted, path) : withValue(wanted, path, value);
    for (let outer = path.slice(0, -1); value === undefined && outer.length > 0; outer = outer.slice(0, -1)) {
      if (valueAt(then, outer) !== undefined || !isEmpty(valueAt(wanted, outer))) break; // it is not ours alone
      rest = removed(rest, outer, dialect) ?? rest;
      wanted = withoutValue(wanted, outer);
    }
  }
  return isDeepStrictEqual(readJson(rest, dialect), wanted) ? rest : undefined;
}

/** The text without one member and its comma. The comments around it stay. Undefined if the member does not exist. */
function removed(text: string, path: Path, dialect: Dialect): string | undefined {
  const root = parseTree(text, [], OPTIONS[dialect]);
  const value = root && findNodeAtLocation(root, [...path]);
  const member = value?.parent?.type === 'property' ? value.parent : value;
  const list = member?.parent;
  if (member === undefined || list === undefined) return undefined;
  const siblings = list.children ?? [];
  const index = siblings.indexOf(member);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const [start, end] = [blankBefore(text, member.offset), endOf(member)];
  // Its own comma, else that of the previous member, which becomes the last one.
  const { comma } = trailing(text, end, next?.offset ?? endOf(list) - 1);
  if (comma !== undefined)
    return withoutBlankLine(replaceRange(replaceRange(text, comma - 1, comma), start, end), start);
  const other = previous && trailing(text, endOf(previous), start).comma;
  if (other === undefined) return withoutBlankLine(replaceRange(text, start, end), start);
  return withoutBlankLine(replaceRange(replaceRange(text, start, end), other - 1, other), start - 1);
}

/** Where the blanks before an offset begin, unless they are the line's indentation. */
function blankBefore(text: string, offset: number): number {
  const lead = text.slice(lineStart(text, offset), offset);
  return lead.trim() === '' ? offset : offset - (lead.length - lead.trimEnd().length);
}

/** The text without the line at an offset, if that line is blank. */
function withoutBlankLine(text: string, offset: number): string {
  const start = lineStart(text, offset);
  const end = text.indexOf('\n', offset);
  const isBlank = end !== -1 && start > 0 && text.slice(start, end).trim() === '';
  return isBlank ? replaceRange(text, start, end + 1) : text;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof part === 'number') return Array.isArray(value) ? (value as unknown[])[part] : undefined;
    const fields = fieldsOf(value);
    return Object.hasOwn(fields, part) ? fields[part] : undefined;
  }, root);
}

function withoutValue(root: unknown, [part, ...rest]: Path): unknown {
  if (Array.isArray(root)) {
    const items: readonly unknown[] = root;
    const index = Number(part);
    return rest.length === 0 ? items.toSpliced(index, 1) : items.with(index, withoutValue(items[index], rest));
  }
  const fields = fieldsOf(root);
  const others = Object.entries(fields).filter(([name]) => name !== part);
  if (rest.length === 0) return Object.fromEntries(others);
  return { ...fields, [String(part)]: withoutValue(fields[String(part)], rest) };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(fieldsOf(value)).length === 0;
}
