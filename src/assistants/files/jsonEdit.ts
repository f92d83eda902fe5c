// Sets and removes values in a JSON text and leaves every other byte: comments, order, indentation. Pure. `modify` of
// jsonc-parser does not: with formatting it rewrites neighbouring lines, without it puts everything on one line. Both
// move comments, or remove those around a member.
import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, parse, parseTree } from 'jsonc-parser';
import type { Node, ParseError, ParseOptions } from 'jsonc-parser';
import { asObject } from '../../shared/json.ts';
import { describeChange } from '../preview.ts';
import { eolOf, lineStart, replaceRange } from './textEdit.ts';

/** The variant of JSON that an assistant reads; `jsonc` also allows trailing commas. */
export type Dialect = 'json' | 'json with comments' | 'jsonc';

export type Path = readonly (string | number)[];

export interface Setting {
  /** A number is an index into a list. The index after the last one appends. */
  readonly path: Path;
  /** Undefined removes the value, which must exist. */
  readonly value: unknown;
  /** The value becomes the first item of the list at the path, which must exist. */
  readonly isFirst?: true;
}

export interface Edited {
  readonly text: string;
  /** For the user, without secrets. */
  readonly changes: readonly string[];
}

const OPTIONS: Readonly<Record<Dialect, ParseOptions>> = {
  json: { disallowComments: true, allowTrailingComma: false },
  'json with comments': { disallowComments: false, allowTrailingComma: false },
  jsonc: { disallowComments: false, allowTrailingComma: true },
};
/** The tokens between the last member and the closing bracket. */
const TRIVIA = /\/\/[^\r\n]*|\/\*[^]*?\*\/|,|\n/g;
const BOM = '\ufeff';

/** The value of a text, `{}` for an empty one; undefined if it does not parse. */
export function readJson(text: string, dialect: Dialect): unknown {
  if (isEmpty(text)) return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(BOM, ''), errors, OPTIONS[dialect]);
  return errors.length > 0 ? undefined : value;
}

/**
 * The text with these values. Does not touch a value that is already there, so a second call changes nothing.
 * @returns undefined if a parent has another type, or a name occurs twice
 */
export function setValues(text: string, settings: readonly Setting[], dialect: Dialect): Edited | undefined {
  const bom = text.startsWith(BOM) ? BOM : '';
  let edited = isEmpty(text) ? '{}\n' : text.slice(bom.length);
  let wanted = readJson(text, dialect);
  const changes: string[] = [];
  for (const { path, value, isFirst } of settings) {
    const root = parseTree(edited, [], OPTIONS[dialect]);
    if (root === undefined) return undefined;
    if (isFirst === true) {
      const list = findNodeAtLocation(root, [...path]);
      const items = valueAt(wanted, path);
      if (list?.type !== 'array' || !Array.isArray(items)) return undefined;
      wanted = withValue(wanted, path, [value, ...(items as readonly unknown[])]);
      edited = insertFirst(edited, list, value);
      changes.push(describeChange(`${path.join('.')}.[0]`, undefined, value));
      continue;
    }
    const known = findNodeAtLocation(root, [...path]);
    const before = known && (parse(edited.slice(known.offset, endOf(known)), [], OPTIONS.jsonc) as unknown);
    wanted = withValue(wanted, path, value);
    if (isDeepStrictEqual(before, value)) continue;
    const next =
      known === undefined
        ? addValue(edited, root, path, value)
        : value === undefined
          ? removeValue(edited, known)
          : replaceValue(edited, known, value);
    if (next === undefined) return undefined;
    edited = next;
    const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join('.');
    changes.push(describeChange(name, before, value));
  }
  // Guards against every mistake above: these values are set or removed, and nothing else has another value.
  if (!isDeepStrictEqual(readJson(edited, dialect), wanted)) return undefined;
  return { text: bom + edited, changes };
}

function isEmpty(text: string): boolean {
  return text.replace(BOM, '').trim() === '';
}

function endOf({ offset, length }: Node): number {
  return offset + length;
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

/** Below the line of the bracket, above the comments of the first item. */
function insertFirst(text: string, list: Node, value: unknown): string {
  const [first] = list.children ?? [];
  if (first === undefined) return insert(text, list, '', value);
  const lead = text.slice(lineStart(text, first.offset), first.offset);
  if (lead.trim() !== '') return replaceRange(text, first.offset, first.offset, `${JSON.stringify(value)}, `);
  const layout = layoutOf(text, list);
  const isBlank = /^[ \t]*\r?\n/.test(text.slice(list.offset + 1));
  const at = isBlank ? text.indexOf('\n', list.offset) + 1 : first.offset - lead.length;
  return replaceRange(text, at, at, `${lead}${write(value, lead, layout)},${layout.eol}`);
}

function replaceValue(text: string, node: Node, value: unknown): string {
  const layout = layoutOf(text, node);
  return replaceRange(text, node.offset, endOf(node), write(value, layout.base, layout));
}

/** Appends the first missing member of a path, with the rest of the path in it. */
function addValue(text: string, node: Node, [name, ...rest]: Path, value: unknown): string | undefined {
  if (name === undefined) return undefined;
  const child = findNodeAtLocation(node, [name]);
  if (child !== undefined) return addValue(text, child, rest, value);
  if (node.type !== (typeof name === 'number' ? 'array' : 'object')) return undefined;
  const label = typeof name === 'number' ? '' : `${JSON.stringify(name)}: `;
  return insert(text, node, label, withValue(undefined, rest, value));
}

/** Appends a member to an object or an array. */
function insert(text: string, node: Node, label: string, value: unknown): string {
  const layout = layoutOf(text, node);
  const { eol, base, unit } = layout;
  const [start, end] = [node.offset + 1, node.offset + node.length - 1];
  const last = node.children?.at(-1);
  if (last === undefined) {
    const inner = text.slice(start, end);
    const at = start + inner.trimEnd().length;
    const close = text.slice(at, end).includes('\n') ? '' : eol + base;
    return replaceRange(text, at, at, eol + base + unit + label + write(value, base + unit, layout) + close);
  }
  const { comma, memberEnd } = trailing(text, endOf(last), end);
  if (!text.slice(start, end).includes('\n')) {
    const member = label + JSON.stringify(value);
    return replaceRange(text, memberEnd, memberEnd, comma === undefined ? `, ${member}` : ` ${member},`);
  }
  const lead = text.slice(lineStart(text, last.offset), last.offset);
  const indent = lead.trim() === '' ? lead : base + unit;
  const member = eol + indent + label + write(value, indent, layout);
  if (comma !== undefined) return replaceRange(text, memberEnd, memberEnd, `${member},`); // keeps the trailing comma
  return replaceRange(replaceRange(text, memberEnd, memberEnd, member), endOf(last), endOf(last), ',');
}

/** The text without one member and its comma. The comments around it stay. */
function removeValue(text: string, value: Node): string | undefined {
  const member = value.parent?.type === 'property' ? value.parent : value;
  const list = member.parent;
  if (list === undefined) return undefined;
  const siblings = list.children ?? [];
  const index = siblings.indexOf(member);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const [start, end] = [blankBefore(text, member.offset), endOf(member)];
  // Its own comma, else that of the previous member, which becomes the last one.
  const own = trailing(text, end, next?.offset ?? endOf(list) - 1).comma;
  if (own !== undefined) return withoutBlankLine(replaceRange(replaceRange(text, own - 1, own), start, end), start);
  const rest = replaceRange(text, start, end);
  const other = previous && trailing(text, endOf(previous), start).comma;
  return other === undefined
    ? withoutBlankLine(rest, start)
    : withoutBlankLine(replaceRange(rest, other - 1, other), start - 1);
}

/** Where the blanks before an offset begin, unless they are the line's indentation. */
function blankBefore(text: string, offset: number): number {
  const lead = text.slice(lineStart(text, offset), offset);
  return lead.trim() === '' ? offset : offset - (lead.length - lead.trimEnd().length);
}

/** The text without the line at an offset, if that line is blank. */
function withoutBlankLine(text: string, offset: number): string {
  const [start, end] = [lineStart(text, offset), text.indexOf('\n', offset)];
  const isBlank = end !== -1 && start > 0 && text.slice(start, end).trim() === '';
  return isBlank ? replaceRange(text, start, end + 1) : text;
}

/** The offsets after a member's comma, if it has one, and after the comma and the comments on the member's line. */
function trailing(text: string, from: number, to: number): { comma: number | undefined; memberEnd: number } {
  let comma: number | undefined;
  let memberEnd = from;
  let newLine = false;
  for (const { 0: token, index } of text.slice(from, to).matchAll(TRIVIA)) {
    newLine ||= token === '\n';
    if (token === ',') comma = from + index + 1;
    if (token === ',' || (token.startsWith('/') && !newLine)) memberEnd = from + index + token.length;
  }
  return { comma, memberEnd };
}

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** The indentation of the line on which the node begins. */
  readonly base: string;
}

function layoutOf(text: string, { offset }: Node): Layout {
  const base = /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
  const unit = /^([ \t]+)["/]/m.exec(text)?.[1] ?? '  ';
  return { eol: eolOf(text), unit, base };
}

function write(value: unknown, indent: string, { eol, unit }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}
