// Sets and removes values in a TOML text and leaves every other byte: comments, order, spacing, line ends. Pure. The text
// is edited at the offsets of the parser's nodes, because a writer would lose the layout.
import { getStaticTOMLValue, parseTOML, traverseNodes } from 'toml-eslint-parser';
import type { AST } from 'toml-eslint-parser';
import { asObject } from '../../shared/json.ts';
import { setEach, valueAt, withValue } from './format.ts';
import type { ConfigFormat, Path, Setting } from './format.ts';
import { eolOf, lineStart, nextLine, replaceRange } from './textEdit.ts';

const BOM = '\ufeff';
const BARE_KEY = /^[A-Za-z0-9_-]+$/;
/** Allowed in JSON, but not in TOML. */
const DELETE = /\u007f/g;

/** A key with its value, at any depth. */
interface Member {
  /** All keys from the root. Numbers are indexes into arrays of tables. */
  readonly path: Path;
  readonly node: AST.TOMLKeyValue;
}

/** A text with its syntax tree. */
interface Document {
  readonly text: string;
  readonly root: AST.TOMLTopLevelTable;
  readonly members: readonly Member[];
  readonly tables: readonly AST.TOMLTable[];
}

export const toml: ConfigFormat = {
  read: readToml,
  set: (text, settings) => {
    const edited = setEach(text, settings, { read: readToml, edit, adjust: withoutImplied });
    const isComplete = edited !== undefined && countComments(text) === countComments(edited.text);
    return isComplete ? edited : undefined;
  },
  // Each of the values is on one line.
  write: (values) =>
    Object.entries(values)
      .map(([name, value]) => `${writeKey(name)} = ${writeValue(value)}\n`)
      .join(''),
};

/** The value of a text; undefined if it does not parse, or has the key `__proto__`. */
function readToml(text: string): unknown {
  try {
    const program = parseTOML(text.replace(BOM, ''), { tomlVersion: '1.1' });
    return hasPrototypeKey(program) ? undefined : getStaticTOMLValue(program);
  } catch {
    return undefined; // also for nesting that is too deep
  }
}

/** For the parser, the members of such a table are members of the prototype of all objects. */
function hasPrototypeKey(program: AST.TOMLProgram): boolean {
  let found = false;
  traverseNodes(program, {
    enterNode(node) {
      if ((node.type === 'TOMLBare' || node.type === 'TOMLQuoted') && nameOf(node) === '__proto__') found = true;
    },
    leaveNode: () => undefined,
  });
  return found;
}

function edit(text: string, { path, value }: Setting, before: unknown): string | undefined {
  const document = parse(text);
  if (value === undefined) return removeValue(document, path);
  return before === undefined ? addValue(document, path, value) : replaceValue(document, path, value);
}

/** The number of comments inside values and on lines of their own; those after a value belong to its line. */
function countComments(text: string): number {
  if (!text.includes('#')) return 0;
  const document = parse(text.replace(BOM, ''));
  const { comments } = parseTOML(document.text, { tomlVersion: '1.1' });
  return comments.filter(({ range: [at] }) => {
    const isAlone = document.text.slice(lineStart(document.text, at), at).trim() === '';
    return isAlone || document.members.some(({ node: { value } }) => value.range[0] < at && at < value.range[1]);
  }).length;
}

/** Without the empty tables around a removed value that were written only as a part of its path. */
function withoutImplied(wanted: unknown, { path, value }: Setting, edited: string): unknown {
  if (value !== undefined) return wanted;
  const found = readToml(edited);
  const implied = path
    .map((_part, index) => path.slice(0, index))
    .filter((outer) => outer.length > 0 && valueAt(found, outer) === undefined);
  return implied.reduce((rest, outer) => withValue(rest, outer, undefined), wanted);
}

/** @throws Error if the text does not parse */
function parse(text: string): Document {
  const [root] = parseTOML(text, { tomlVersion: '1.1' }).body;
  const members: Member[] = [];
  const collect = (outer: Path, node: AST.TOMLKeyValue) => {
    const path = [...outer, ...node.key.keys.map(nameOf)];
    members.push({ path, node });
    if (node.value.type === 'TOMLInlineTable') for (const inner of node.value.body) collect(path, inner);
  };
  const tables: AST.TOMLTable[] = [];
  for (const node of root.body) {
    if (node.type === 'TOMLKeyValue') {
      collect([], node);
    } else {
      tables.push(node);
      for (const member of node.body) collect(node.resolvedKey, member);
    }
  }
  return { text, root, members, tables };
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === 'TOMLBare' ? key.name : key.value;
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && startsWith(one, other);
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((part, index) => path[index] === part);
}

function replaceValue(document: Document, path: Path, value: unknown): string | undefined {
  const { text, members } = document;
  const range = members.find((member) => isSame(member.path, path))?.node.value.range;
  if (range !== undefined) return replaceRange(text, range[0], range[1], writeValue(value));
  const rest = removeValue(document, path); // a table
  return rest === undefined ? undefined : addValue(parse(rest), path, value);
}

/** Adds a value where its table is written, or else a new table at the end of the text. */
function addValue(document: Document, path: Path, value: unknown): string | undefined {
  const { text, root, members, tables } = document;
  const inline = members.findLast(
    ({ path: outer, node }) => node.value.type === 'TOMLInlineTable' && startsWith(path, outer),
  );
  if (inline?.node.value.type === 'TOMLInlineTable')
    return addInline(text, inline.node.value, `${writeKeys(path.slice(inline.path.length))} = ${writeValue(value)}`);
  const fields = asObject(value);
  const outer = path.slice(0, -1);
  if (fields !== undefined) return addTable(text, path, fields);
  const line = `${writeKeys(path.slice(-1))} = ${writeValue(value)}`;
  if (outer.length === 0) return addRootLine(document, line);
  const table = tables.find(({ kind, resolvedKey }) => kind === 'standard' && isSame(resolvedKey, outer));
  if (table !== undefined) return insertLine(text, endOf(text, table), line);
  // The table is written as dotted keys: `a.b.c = 1`.
  const dotted = members.findLast(({ path: other }) => startsWith(other, outer));
  if (dotted === undefined) return addTable(text, outer, { [String(path.at(-1))]: value });
  const keys = path.slice(dotted.path.length - dotted.node.key.keys.length);
  if (dotted.node.parent.type === 'TOMLInlineTable' || root.body.length === 0) return undefined;
  return insertLine(text, nextLine(text, dotted.node.range[1]), `${writeKeys(keys)} = ${writeValue(value)}`);
}

/** After the last member of an inline table. */
function addInline(text: string, table: AST.TOMLInlineTable, member: string): string | undefined {
  const last = table.body.at(-1);
  if (last === undefined) return replaceRange(text, table.range[0], table.range[1], `{ ${member} }`);
  const end = last.range[1];
  const rest = text.slice(end, table.range[1]);
  if (rest.includes('#')) return undefined;
  const comma = rest.indexOf(',');
  return comma === -1
    ? replaceRange(text, end, end, `, ${member}`)
    : replaceRange(text, end + comma + 1, end + comma + 1, ` ${member}`);
}

/** Appends a table. */
function addTable(text: string, path: Path, fields: Readonly<Record<string, unknown>>): string {
  const eol = eolOf(text);
  const lines = Object.entries(fields).map(([name, value]) => `${writeKey(name)} = ${writeValue(value)}${eol}`);
  const before = text === '' || text.endsWith('\n') ? text : text + eol;
  const isBlank = before === '' || before.endsWith(eol + eol);
  return `${before}${isBlank ? '' : eol}[${writeKeys(path)}]${eol}${lines.join('')}`;
}

/** Adds a line after the last one that is not in a table, or else before the first table and the comments above it. */
function addRootLine({ text, root, tables: [table] }: Document, line: string): string {
  const last = root.body.findLast(({ type }) => type === 'TOMLKeyValue');
  if (last !== undefined) return insertLine(text, nextLine(text, last.range[1]), line);
  if (table === undefined) return insertLine(text, text.length, line);
  let at = lineStart(text, table.range[0]);
  while (
    at > 0 &&
    text
      .slice(lineStart(text, at - 1), at)
      .trimStart()
      .startsWith('#')
  )
    at = lineStart(text, at - 1);
  return replaceRange(text, at, at, line + eolOf(text) + eolOf(text));
}

/** @param at the start of a line, or the end of the text */
function insertLine(text: string, at: number, line: string): string {
  const eol = eolOf(text);
  const lead = at > 0 && text[at - 1] !== '\n' ? eol : '';
  return replaceRange(text, at, at, lead + line + eol);
}

/** Where the line after the last one of a table begins, without the comments before the next table. */
function endOf(text: string, table: AST.TOMLTable): number {
  return nextLine(text, Math.max(table.key.range[1], ...table.body.map(({ range }) => range[1])));
}

/** Removes everything that is written under a path. */
function removeValue({ text, members, tables }: Document, path: Path): string | undefined {
  const inTables = tables.filter(({ resolvedKey }) => startsWith(resolvedKey, path));
  const inMembers = members.filter((member) => startsWith(member.path, path));
  const single = inMembers.find((member) => isSame(member.path, path))?.node;
  if (single?.parent.type === 'TOMLInlineTable') return removeInline(text, single, single.parent);
  if (inMembers.some(({ node }) => node.parent.type === 'TOMLInlineTable') && single === undefined) return undefined;
  const lines = [
    ...inTables.map((table): [number, number] => [lineStart(text, table.range[0]), endOf(text, table)]),
    ...inMembers
      .filter(({ node }) => node.parent.type !== 'TOMLInlineTable' && !inTables.some((table) => table === node.parent))
      .map(({ node }): [number, number] => [lineStart(text, node.range[0]), nextLine(text, node.range[1])]),
  ];
  return lines.toSorted((one, other) => other[0] - one[0]).reduce(removeLines, text);
}

/** Without a blank line that would now follow another one, or begin or end the text. */
function removeLines(text: string, [start, end]: readonly [number, number]): string {
  const rest = replaceRange(text, start, end);
  const next = nextLine(rest, start);
  const previous = start === 0 ? 0 : lineStart(rest, start - 1);
  const isBlank = (from: number, to: number) => rest.slice(from, to).trim() === '';
  if (!isBlank(previous, start)) return rest;
  if (start === rest.length) return rest.slice(0, previous);
  return isBlank(start, next) ? replaceRange(rest, start, next) : rest;
}

/** Removes a member of an inline table with one of the commas next to it. */
function removeInline(text: string, member: AST.TOMLKeyValue, { body }: AST.TOMLInlineTable): string | undefined {
  const index = body.indexOf(member);
  const [previous, next] = [body[index - 1], body[index + 1]];
  const start = next === undefined && previous !== undefined ? previous.range[1] : member.range[0];
  const end = next === undefined ? member.range[1] : next.range[0];
  const isComment = text.slice(start, member.range[0]).includes('#') || text.slice(member.range[1], end).includes('#');
  return isComment ? undefined : replaceRange(text, start, end);
}

function writeKeys(path: Path): string {
  return path.map((part) => writeKey(String(part))).join('.');
}

function writeKey(name: string): string {
  return BARE_KEY.test(name) ? name : writeString(name);
}

/** @throws TypeError if TOML has no such value */
function writeValue(value: unknown): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  const fields = asObject(value);
  if (fields === undefined || value instanceof Date) throw new TypeError('A value cannot be written as TOML.');
  const members = Object.entries(fields).map(([name, each]) => `${writeKey(name)} = ${writeValue(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A basic string. All escapes of JSON are also escapes of TOML. */
function writeString(text: string): string {
  return JSON.stringify(text).replace(DELETE, String.raw`\u007f`);
}
