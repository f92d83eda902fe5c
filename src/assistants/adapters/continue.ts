import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, isSeq, parseAllDocuments, stringify } from 'yaml';
import type { Document, YAMLSeq } from 'yaml';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import type { Reading } from '../configState.ts';
import type { Edited } from '../files/jsonEdit.ts';
import { eolOf, lineStart, nextLine, replaceRange } from '../files/textEdit.ts';
import { EXCEPTIONS } from '../judging/httpProxy.ts';
import { describeChange } from '../preview.ts';
import type { Assistant, AssistantEndpoint } from '../types.ts';
import { continueRoutes } from './continueRoutes.ts';
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
  routes: continueRoutes,
  removeEntry,
  previousValues: () => '', // nothing is restored in a file that was edited since
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
  const edited = index === -1 ? add(text, document, endpoint) : change(text, index, endpoint);
  if (edited === undefined) return undefined;
  // Guards against every mistake below: our entry is there, and nothing else has another value.
  const ours = index === -1 ? entryFor(endpoint) : { ...fieldsOf(all[index]), ...valuesFor(endpoint) };
  const models = index === -1 ? [ours, ...all] : all.with(index, ours);
  return means(edited.text, { ...(root === null ? HEAD : fieldsOf(root)), models }) ? edited : undefined;
}

/** The text without the lines of our entry. */
function removeEntry(text: string): string | undefined {
  const document = parse(text);
  if (document === undefined) return undefined;
  const root: unknown = document.toJS();
  const all = modelsOf(root);
  const index = all.findIndex(isOurs);
  if (index === -1) return text;
  const list = document.get('models');
  const result = isSeq(list)
    ? (list.flow === true ? withoutFlowItem : withoutLines)(text, document, list, index)
    : undefined;
  const wanted = { ...fieldsOf(root), models: all.toSpliced(index, 1) };
  return result !== undefined && means(result, wanted) ? result : undefined;
}

/** The text without the lines of one item. */
function withoutLines(text: string, { contents }: Document, { items }: YAMLSeq, index: number): string | undefined {
  const item = items[index];
  if (!isMap(item) || item.range == null) return undefined;
  const rest = replaceRange(text, lineStart(text, item.range[0]), lineAfter(text, item.range[1]));
  if (items.length > 1) return rest;
  // Without items, the list needs brackets. They come after the colon: comments may follow it.
  const key = isMap(contents) ? contents.items.find((pair) => isModels(pair.key))?.key : undefined;
  const colon = isScalar(key) && key.range != null ? text.indexOf(':', key.range[1]) : -1;
  return colon === -1 ? undefined : replaceRange(rest, colon + 1, colon + 1, ' []');
}

/** The text without one item of a list in brackets, and without the comma before it, or else after it. */
function withoutFlowItem(text: string, _document: Document, { items }: YAMLSeq, index: number): string | undefined {
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

function isModels(key: unknown): boolean {
  return isScalar(key) && key.value === 'models';
}

function means(text: string, wanted: unknown): boolean {
  return isDeepStrictEqual(parse(text)?.toJS(), wanted);
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
    roles: ['chat', 'edit', 'apply', 'summarize'],
    capabilities: ['tool_use'],
    requestOptions: { noProxy: [...EXCEPTIONS] },
    ...(limits && {
      defaultCompletionOptions: { contextLength: limits.contextWindow, maxTokens: limits.maxOutput },
    }),
  };
}

function add(text: string, { contents }: Document, endpoint: AssistantEndpoint): Edited | undefined {
  const entry = entryFor(endpoint);
  const changes = [`adds the model ${endpoint.model.id} as "${NAME}"`];
  const eol = eolOf(text);
  const lines = (value: unknown, indent: string) =>
    stringify(value, { lineWidth: 0, blockQuote: false })
      .trimEnd()
      .split('\n')
      .map((line) => indent + line + eol)
      .join('');
  const pair = isMap(contents) ? contents.items.find(({ key }) => isModels(key)) : undefined;
  if (pair === undefined) {
    const fields = { ...(isMap(contents) ? {} : HEAD), models: [entry] };
    return { text: endLine(text, eol) + lines(fields, ''), changes };
  }
  const { key, value: list } = pair;
  // The first model is used unless the user has selected another one.
  if (isSeq(list) && list.flow === true) {
    const [item] = list.items;
    const at = isNode(item) && item.range != null ? item.range[0] : (list.range?.[1] ?? 1) - 1;
    const separator = item === undefined ? '' : ', ';
    return { text: replaceRange(text, at, at, JSON.stringify(entry) + separator), changes };
  }
  if (!isScalar(key) || key.range == null) return undefined;
  const first = isSeq(list) ? list.range?.[0] : undefined;
  const indent = first === undefined ? '  ' : ' '.repeat(first - lineStart(text, first));
  // Below the key, above the comments of the first model.
  const at = nextLine(text, key.range[1]);
  return { text: endLine(text.slice(0, at), eol) + lines([entry], indent) + text.slice(at), changes };
}

/** Where the line begins that follows a node, without the blank lines at the end of the node. */
function lineAfter(text: string, end: number): number {
  return nextLine(text, text.slice(0, end).trimEnd().length);
}

/** Replaces the values of our entry. Undefined if one of them is not there as a scalar. */
function change(text: string, index: number, endpoint: AssistantEndpoint): Edited | undefined {
  let edited = text;
  const changes: string[] = [];
  for (const [name, value] of Object.entries(valuesFor(endpoint))) {
    const node = parse(edited)?.getIn(['models', index, name], true);
    if (!isScalar(node) || node.range == null) return undefined;
    if (node.value === value) continue;
    edited = replaceRange(edited, node.range[0], node.range[1], JSON.stringify(value));
    changes.push(describeChange(name, node.value, value));
  }
  return { text: edited, changes };
}

/** The document of a text; undefined if it does not parse, is not a map, or is not the only one. */
function parse(text: string): Document | undefined {
  const [document, second] = parseAllDocuments(text, { logLevel: 'silent' });
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

/** By its key: a user may have given a model of another provider the same name. */
function isOurs(entry: unknown): boolean {
  return isAccessKey(fieldsOf(entry)['apiKey']);
}

function endLine(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol;
}
