import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseAllDocuments, stringify } from 'yaml';
import type { Document, YAMLSeq } from 'yaml';
import { fieldsOf } from '../../shared/json.ts';
import type { Reading } from '../configState.ts';
import type { Edited } from '../files/jsonEdit.ts';
import { eolOf, lineStart, nextLine, replaceRange } from '../files/textEdit.ts';
import { describeChange } from '../preview.ts';
import type { Assistant, AssistantEndpoint } from '../types.ts';
import { fileAssistant } from './fileAssistant.ts';

/** https://docs.continue.dev/reference */
export const continueDev: Assistant = fileAssistant({
  id: 'continue',
  name: 'Continue',
  next: 'Select "Sealed Proxy" in its list of models.',
  extension: 'Continue.continue',
  folders: ['.continue'],
  files: ['.continue/config.yaml'],
  shadowed: '.continue/config.json',
  read,
  edit,
  removeEntry,
});

const NAME = 'Sealed Proxy';
const HEAD = { name: 'Local Assistant', version: '0.0.1', schema: 'v1' };

function read(text: string): Reading | undefined {
  const document = parse(text);
  if (document === undefined) return undefined;
  const all = modelsOf(document.toJS());
  const ours = all.find(isOurs);
  const selected = fieldsOf(all[0])['name'];
  if (ours === undefined) return { selected };
  const { apiBase, apiKey, model } = fieldsOf(ours);
  return { entry: { baseUrl: apiBase, key: apiKey, model }, selected };
}

/**
 * Edits the text at the offsets of its nodes. Writing the document with `yaml` instead would change the user's spacing,
 * indentation, quotes and byte order mark.
 */
function edit(text: string, endpoint: AssistantEndpoint): Edited | undefined {
  const document = parse(text);
  if (document === undefined) return undefined;
  const root: unknown = document.toJS();
  const all = modelsOf(root);
  const index = all.findIndex(isOurs);
  const edited = index === -1 ? add(text, document, endpoint) : change(text, document, index, endpoint);
  if (edited === undefined) return undefined;
  // Guards against every mistake below: our entry is there, and nothing else has another value.
  const models = index === -1 ? [...all, entryFor(endpoint)] : all.with(index, changed(all[index], endpoint));
  const wanted = { ...(root === null ? HEAD : fieldsOf(root)), models };
  return isDeepStrictEqual(parse(edited.text)?.toJS(), wanted) ? edited : undefined;
}

/** The text without the lines of our entry. */
function removeEntry(text: string): string | undefined {
  const document = parse(text);
  const list = document?.get('models');
  const root: unknown = document?.toJS();
  const all = modelsOf(root);
  const index = all.findIndex(isOurs);
  if (index === -1) return document === undefined ? undefined : text;
  const range = isSeq(list) && list.flow !== true ? rangeOf(list.items[index]) : undefined;
  if (range === undefined) return undefined;
  const start = lineStart(text, range[0]);
  const end = nextLine(text, text.slice(0, range[1]).trimEnd().length);
  // Without items, the list needs brackets.
  const rest = all.length === 1 ? text.slice(0, start).replace(/:[ \t]*(\r?\n)$/, ': []$1') : text.slice(0, start);
  const result = rest + text.slice(end);
  return isDeepStrictEqual(parse(result)?.toJS(), { ...fieldsOf(root), models: all.toSpliced(index, 1) })
    ? result
    : undefined;
}

/** The offsets of a map, without the comments after it. */
function rangeOf(node: unknown): readonly [number, number] | undefined {
  return isMap(node) && node.range != null ? [node.range[0], node.range[1]] : undefined;
}

/** The values that depend on the endpoint. */
function valuesFor({ baseUrl, key, model }: AssistantEndpoint) {
  return { model: model.id, apiBase: baseUrl, apiKey: key };
}

function entryFor(endpoint: AssistantEndpoint) {
  const { limits } = endpoint.model;
  return {
    name: NAME,
    provider: 'openai',
    ...valuesFor(endpoint),
    roles: ['chat', 'edit', 'apply'],
    capabilities: ['tool_use'],
    ...(limits && {
      defaultCompletionOptions: { contextLength: limits.contextWindow, maxTokens: limits.maxOutput },
    }),
  };
}

function changed(entry: unknown, endpoint: AssistantEndpoint): unknown {
  return { ...fieldsOf(entry), ...valuesFor(endpoint) };
}

function add(text: string, document: Document, endpoint: AssistantEndpoint): Edited | undefined {
  const { contents } = document;
  const entry = entryFor(endpoint);
  const changes = [`adds the model ${NAME}`];
  const eol = eolOf(text);
  const lines = (value: unknown, indent: string) =>
    stringify(value, { lineWidth: 0, blockQuote: false })
      .trimEnd()
      .split('\n')
      .map((line) => indent + line + eol)
      .join('');
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { text: endLine(text, eol) + lines({ ...HEAD, models: [entry] }, ''), changes };
  }
  if (!isMap(contents)) return undefined;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'models');
  if (pair === undefined) return { text: endLine(text, eol) + lines({ models: [entry] }, ''), changes };
  const list = pair.value;
  if (isSeq(list) && list.flow === true) {
    const at = (list.range?.[1] ?? 0) - 1;
    const separator = list.items.length > 0 ? ', ' : '';
    return { text: replaceRange(text, at, at, separator + JSON.stringify(entry)), changes };
  }
  const target = isSeq(list) ? afterList(text, list) : afterKey(text, pair.key);
  if (target === undefined) return undefined;
  const before = endLine(text.slice(0, target.at), eol);
  return { text: before + lines([entry], target.indent) + text.slice(target.at), changes };
}

/** The offset after the last line of a list, and the indentation of its dashes. */
function afterList(text: string, list: YAMLSeq): { at: number; indent: string } | undefined {
  if (list.range == null) return undefined;
  const [start, end] = list.range;
  const indent = ' '.repeat(start - lineStart(text, start));
  const last = text.slice(0, end).trimEnd().length;
  return { at: nextLine(text, last), indent };
}

/** The same for a key without a value. */
function afterKey(text: string, key: unknown): { at: number; indent: string } | undefined {
  if (!isScalar(key) || key.range == null) return undefined;
  return { at: nextLine(text, key.range[1]), indent: '  ' };
}

/** Replaces the values of our entry. Undefined if one of them is not there as a scalar. */
function change(text: string, document: Document, index: number, endpoint: AssistantEndpoint): Edited | undefined {
  const edits: { readonly start: number; readonly end: number; readonly value: string }[] = [];
  const changes: string[] = [];
  for (const [name, value] of Object.entries(valuesFor(endpoint))) {
    const node = document.getIn(['models', index, name], true);
    if (!isScalar(node) || node.range == null) return undefined;
    if (node.value === value) continue;
    const [start, end] = node.range;
    edits.push({ start, end, value: JSON.stringify(value) });
    changes.push(describeChange(name, node.value, value));
  }
  // Backwards, so that the earlier offsets stay valid.
  const backwards = edits.toSorted((one, other) => other.start - one.start);
  return {
    text: backwards.reduce((rest, { start, end, value }) => replaceRange(rest, start, end, value), text),
    changes,
  };
}

/** The document of a text; undefined if it does not parse, is not a map, or is not the only one. */
function parse(text: string): Document | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  if (!Array.isArray(documents)) return undefined;
  const [document, second] = documents;
  if (document === undefined) return parse('null');
  if (second !== undefined || document.errors.length > 0) return undefined;
  const { contents } = document;
  const isNothing = isScalar(contents) && contents.value === null;
  return contents === null || isNothing || isMap(contents) ? document : undefined;
}

function modelsOf(root: unknown): readonly unknown[] {
  const { models } = fieldsOf(root);
  return Array.isArray(models) ? models : [];
}

function isOurs(entry: unknown): boolean {
  return fieldsOf(entry)['name'] === NAME;
}

function endLine(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol;
}
