// Takes our entry out of a JSON text that others have written to since. Pure.
import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import { fieldsOf } from '../../shared/json.ts';
import { OPTIONS, after, lineStart, readJson, setValues, splice, withValue } from './jsonEdit.ts';
import type { Dialect, Path } from './jsonEdit.ts';

/** Where we stand in a configuration. */
export interface ManagedPaths {
  /** What is ours alone, and goes. */
  readonly entries: readonly Path[];
  /** What points to us and belongs to the person: it gets back its value of before. */
  readonly switches: readonly Path[];
}

/**
 * The text without us, and with what stood in our places before. Everything else stays as it is now.
 * @param before the text of before our first change; empty for none
 * @param find where we stand in a value
 * @returns undefined where that cannot be done without touching anything else
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
  // From behind: what is removed from a list moves what comes after it.
  for (const path of [...entries, ...switches].toReversed()) {
    const value = typeof path.at(-1) === 'number' ? undefined : valueAt(then, path);
    const edited =
      value === undefined ? removed(rest, path, dialect) : setValues(rest, [{ path, value }], dialect)?.text;
    if (edited === undefined) return undefined;
    rest = edited;
    wanted = value === undefined ? withoutValue(wanted, path) : withValue(wanted, path, value);
    for (let outer = path.slice(0, -1); value === undefined && outer.length > 0; outer = outer.slice(0, -1)) {
      if (valueAt(then, outer) !== undefined || !isEmpty(valueAt(wanted, outer))) break; // it is not only for us
      rest = removed(rest, outer, dialect) ?? rest;
      wanted = withoutValue(wanted, outer);
    }
  }
  return isDeepStrictEqual(readJson(rest, dialect), wanted) ? rest : undefined;
}

/** Without one member and its comma: comments around it stay. Undefined where it is not there. */
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
  // Its own comma, else that of the one before, which is the last one now.
  const { comma } = after(text, end, next?.offset ?? endOf(list) - 1);
  if (comma !== undefined) return withoutBlankLine(without(without(text, comma - 1, comma), start, end), start);
  const other = previous && after(text, endOf(previous), start).comma;
  if (other === undefined) return withoutBlankLine(without(text, start, end), start);
  return withoutBlankLine(without(without(text, start, end), other - 1, other), start - 1);
}

function without(text: string, start: number, end: number): string {
  return splice(text, start, end - start, '');
}

/** Where the blanks before a place begin, if something else stands before them on the line. */
function blankBefore(text: string, place: number): number {
  const lead = text.slice(lineStart(text, place), place);
  return lead.trim() === '' ? place : place - (lead.length - lead.trimEnd().length);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The line on which something stood, if nothing else stands on it. */
function withoutBlankLine(text: string, place: number): string {
  const start = lineStart(text, place);
  const end = text.indexOf('\n', place);
  const isBlank = end !== -1 && start > 0 && text.slice(start, end).trim() === '';
  return isBlank ? splice(text, start, end + 1 - start, '') : text;
}

function valueAt(whole: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (typeof part === 'number') return Array.isArray(value) ? (value as unknown[])[part] : undefined;
    const fields = fieldsOf(value);
    return Object.hasOwn(fields, part) ? fields[part] : undefined;
  }, whole);
}

function withoutValue(whole: unknown, [part, ...rest]: Path): unknown {
  if (Array.isArray(whole)) {
    const items: readonly unknown[] = whole;
    const index = Number(part);
    return rest.length === 0 ? items.toSpliced(index, 1) : items.with(index, withoutValue(items[index], rest));
  }
  const fields = fieldsOf(whole);
  const others = Object.entries(fields).filter(([name]) => name !== part);
  if (rest.length === 0) return Object.fromEntries(others);
  return { ...fields, [String(part)]: withoutValue(fields[String(part)], rest) };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(fieldsOf(value)).length === 0;
}
