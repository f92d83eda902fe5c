// Sets and removes values in a JSON text and leaves every other byte: comments, order, indentation. Pure. `modify` of
// jsonc-parser does not: with formatting it rewrites neighbouring lines, without it puts everything on one line. Both
// move comments, or remove those around a member.
import { findNodeAtLocation, parse, parseTree } from 'jsonc-parser';
import type { Node, ParseError, ParseOptions } from 'jsonc-parser';
import { setEach, withValue } from './format.ts';
import type { ConfigFormat, Path, Setting } from './format.ts';
import { eolOf, lineStart, replaceRange } from './textEdit.ts';

/** The variant of JSON that a program reads. */
type JsonVariant = 'json' | 'json with comments' | 'jsonc';

const OPTIONS: Readonly<Record<JsonVariant, ParseOptions>> = {
  json: { disallowComments: true, allowTrailingComma: false },
  'json with comments': { disallowComments: false, allowTrailingComma: false },
  jsonc: { disallowComments: false, allowTrailingComma: true },
};
/** The tokens between the last member and the closing bracket. */
const TRIVIA = /\/\/[^\r\n]*|\/\*[^]*?\*\/|,|\n/g;
const BOM = '\ufeff';

/** Without comments and trailing commas. */
export const json = format('json');
export const jsonWithComments = format('json with comments');
/** With comments and trailing commas. */
export const jsonc = format('jsonc');

function format(variant: JsonVariant): ConfigFormat {
  const read = (text: string) => readJson(text, variant);
  return {
    read,
    set: (text, settings) => {
      const complete = isEmpty(text) ? `${text.startsWith(BOM) ? BOM : ''}{}\n` : text;
      return setEach(complete, settings, { read, edit: (edited, setting) => edit(edited, setting, variant) });
    },
    write: (values) => JSON.stringify(values),
  };
}

function readJson(text: string, variant: JsonVariant): unknown {
  if (isEmpty(text)) return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(BOM, ''), errors, OPTIONS[variant]);
  return errors.length > 0 ? undefined : value;
}

/** Undefined if a parent has another type, or a name occurs twice. */
function edit(text: string, { path, value, isFirst }: Setting, variant: JsonVariant): string | undefined {
  const root = parseTree(text, [], OPTIONS[variant]);
  if (root === undefined) return undefined;
  const known = findNodeAtLocation(root, [...path]);
  if (isFirst === true) return known?.type === 'array' ? insertFirst(text, known, value) : undefined;
  if (known === undefined) return addValue(text, root, path, value);
  return value === undefined ? removeValue(text, known) : replaceValue(text, known, value);
}

function isEmpty(text: string): boolean {
  return text.replace(BOM, '').trim() === '';
}

function endOf({ offset, length }: Node): number {
  return offset + length;
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
