// Sets and removes values in a YAML text and leaves every other byte. Pure. The text is edited at the offsets of the parser's
// nodes: writing the document with `yaml` would change the user's spacing, indentation, quotes and byte order mark.
// Scalars can be replaced at any place; values can be added to and removed from the outermost object and its lists.
import { isMap, isNode, isScalar, isSeq, parseAllDocuments, stringify } from 'yaml';
import type { Document, Pair, YAMLSeq } from 'yaml';
import { setEach } from './format.ts';
import type { ConfigFormat, Path, Setting } from './format.ts';
import { eolOf, lineStart, nextLine, replaceRange } from './textEdit.ts';

export const yaml: ConfigFormat = {
  read: readYaml,
  set: (text, settings) => setEach(text, settings, { read: readYaml, edit }),
  write: (values) => stringify(values),
};

/** The value of a text, `{}` for an empty one; undefined if it does not parse, or is not a single document with an object. */
function readYaml(text: string): unknown {
  try {
    return parse(text)?.toJS() ?? undefined;
  } catch {
    return undefined; // an alias without an anchor, or too many of them
  }
}

function parse(text: string): Document | undefined {
  const [document, second] = parseAllDocuments(text, { logLevel: 'silent' });
  if (document === undefined) return parse('{}');
  if (second !== undefined || document.errors.length > 0) return undefined;
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return parse('{}');
  return isMap(contents) ? document : undefined;
}

function edit(text: string, { path, value, isFirst }: Setting): string | undefined {
  const document = parse(text);
  if (document === undefined) return undefined;
  const [name] = path;
  if (isFirst === true) return addFirst(text, pairOf(document, name), path, value);
  if (value === undefined) return remove(text, document, path);
  const node = document.getIn(path, true);
  if (isScalar(node) && node.range != null)
    return replaceRange(text, node.range[0], node.range[1], JSON.stringify(value));
  return node === undefined && path.length === 1 ? append(text, { [String(name)]: value }) : undefined;
}

/** A name of the outermost object, with its value. */
function pairOf({ contents }: Document, name: unknown): Pair | undefined {
  return isMap(contents) ? contents.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
}

function append(text: string, values: object): string {
  const eol = eolOf(text);
  return endLine(text, eol) + linesOf(values, '', eol);
}

/** A list that does not exist is added. */
function addFirst(text: string, pair: Pair | undefined, path: Path, value: unknown): string | undefined {
  if (path.length > 1) return undefined;
  if (pair === undefined) return append(text, { [String(path[0])]: [value] });
  const { key, value: list } = pair;
  if (isSeq(list) && list.flow === true) {
    const [item] = list.items;
    const at = isNode(item) && item.range != null ? item.range[0] : (list.range?.[1] ?? 1) - 1;
    const separator = item === undefined ? '' : ', ';
    return replaceRange(text, at, at, JSON.stringify(value) + separator);
  }
  if (!isScalar(key) || key.range == null) return undefined;
  const first = isSeq(list) ? list.range?.[0] : undefined;
  const indent = first === undefined ? '  ' : ' '.repeat(first - lineStart(text, first));
  // Below the key, above the comments of the first item.
  const at = nextLine(text, key.range[1]);
  const eol = eolOf(text);
  return endLine(text.slice(0, at), eol) + linesOf([value], indent, eol) + text.slice(at);
}

function linesOf(value: unknown, indent: string, eol: string): string {
  return stringify(value, { lineWidth: 0, blockQuote: false })
    .trimEnd()
    .split('\n')
    .map((line) => indent + line + eol)
    .join('');
}

function endLine(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol;
}

/** The text without a value of the outermost object, or without an item of one of its lists. */
function remove(text: string, document: Document, [name, index, ...rest]: Path): string | undefined {
  const pair = pairOf(document, name);
  if (pair === undefined || !isScalar(pair.key) || pair.key.range == null || rest.length > 0) return undefined;
  if (index === undefined) {
    const end = (isNode(pair.value) ? pair.value.range?.[1] : undefined) ?? pair.key.range[1];
    return withoutLines(text, pair.key.range[0], end);
  }
  if (!isSeq(pair.value) || typeof index !== 'number') return undefined;
  if (pair.value.flow === true) return withoutFlowItem(text, pair.value, index);
  const item = pair.value.items[index];
  if (!isNode(item) || item.range == null) return undefined;
  const left = withoutLines(text, item.range[0], item.range[1]);
  if (pair.value.items.length > 1) return left;
  // Without items, the list needs brackets. They come after the colon: comments may follow it.
  const colon = text.indexOf(':', pair.key.range[1]);
  return replaceRange(left, colon + 1, colon + 1, ' []');
}

/** Without the lines of a node, but with the blank lines at its end. */
function withoutLines(text: string, start: number, end: number): string {
  return replaceRange(text, lineStart(text, start), nextLine(text, text.slice(0, end).trimEnd().length));
}

/** The text without one item of a list in brackets, and without the comma before it, or else after it. */
function withoutFlowItem(text: string, { items }: YAMLSeq, index: number): string | undefined {
  const [previous, item, next] = [items[index - 1], items[index], items[index + 1]].map((node) =>
    isNode(node) ? node.range : undefined,
  );
  if (item == null) return undefined;
  const rest = replaceRange(text, item[0], item[1]);
  if (previous != null) return withoutComma(rest, previous[1], item[0]);
  return next == null ? rest : withoutComma(rest, item[0], next[0] - (item[1] - item[0]));
}

/** Removes the comma in a range between two nodes, and the blanks after it, unless a comment needs them. */
function withoutComma(text: string, start: number, end: number): string | undefined {
  for (let at = start; at < end; at++) {
    if (text[at] === '#') at = nextLine(text, at) - 1;
    if (text[at] !== ',') continue;
    const [blanks = ''] = /^[ \t]*(?!#)/.exec(text.slice(at + 1)) ?? [];
    return replaceRange(text, at, at + 1 + blanks.length);
  }
  return undefined;
}
