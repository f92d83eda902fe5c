// The one shape of all assistants that have a file: what differs is where it is, what is set, and how it is read.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { applyChange, readConfig, refused, undoChange } from '../files/configFile.ts';
import { readJson, setValues } from '../files/jsonEdit.ts';
import type { Dialect, Edited, Setting } from '../files/jsonEdit.ts';
import { removeJsonEntry } from '../files/jsonRemoval.ts';
import type { ManagedPaths } from '../files/jsonRemoval.ts';
import { maskSecrets } from '../files/preview.ts';
import { checkEntry, classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import type { Assistant, AssistantEndpoint, Expected, Places, Plan, Refused } from '../types.ts';

export interface Definition {
  readonly id: string;
  readonly name: string;
  /** What a person does next, in a sentence. */
  readonly next: string;
  /** The id of its extension for VS Code, where it has one. */
  readonly extension?: string;
  /** Below the home folder; any of them says that the assistant is used. */
  readonly folders: readonly string[];
  /** Below the home folder; the first that exists is the one, else the first of all. */
  readonly files: readonly [string, ...string[]];
  /** A file that would no longer be read if ours were made, and the name of it for a person. */
  readonly shadowed?: string;
  /** Of an empty text for no file; undefined where it does not parse. */
  read(text: string): Reading | undefined;
  /** Of a text that parses; undefined where the entry has no place. */
  edit(text: string, connection: AssistantEndpoint): Edited | undefined;
  /** The text without our entry, by the text of before it was made; undefined where that is not possible. */
  withdraw(text: string, before: string): string | undefined;
}

/** How the entry of an assistant whose file is JSON looks. */
export interface JsonEntry {
  readonly dialect: Dialect;
  readonly read: (value: unknown) => Reading;
  readonly settings: (value: unknown, connection: AssistantEndpoint) => readonly Setting[];
  /** Where we stand in it. */
  readonly own: (value: unknown) => ManagedPaths;
}

export function fileAssistant(definition: Definition): Assistant {
  const { id, name, next, extension } = definition;
  return {
    id,
    name,
    next,
    extension,
    needsModel: true,
    detect: async (places) => {
      for (const folder of definition.folders) if (await exists(placeOf(folder, places))) return true;
      return false;
    },
    plan: (connection) => plan(definition, connection),
    apply: applyChange,
    undo: (applied) => undoChange(applied, (text, before) => parsed(() => definition.withdraw(text, before))),
    inspect: async (expected) => classifyConfig(await reading(definition, expected), expected),
    check: async (expected, ask) => checkEntry(name, await reading(definition, expected), expected, ask),
  };
}

/** The functions of a definition for a JSON file. */
export function jsonFile({ dialect, read, settings, own }: JsonEntry): Pick<Definition, 'read' | 'edit' | 'withdraw'> {
  return {
    read: (text) => {
      const value = readJson(text, dialect);
      return value === undefined ? undefined : read(value);
    },
    edit: (text, connection) => setValues(text, settings(readJson(text, dialect), connection), dialect),
    withdraw: (text, before) => removeJsonEntry(text, before, dialect, own),
  };
}

async function plan(definition: Definition, connection: AssistantEndpoint): Promise<Plan> {
  const { name, shadowed } = definition;
  const path = await pathOf(definition, connection);
  const found = await readConfig(path);
  if (found.kind === 'refused') return found;
  const before = found.text;
  const old = join(connection.home, shadowed ?? '');
  if (before === undefined && shadowed !== undefined && (await exists(old))) {
    return refused(path, `${name} still reads ${old} and would no longer do so. Move it to ${path} first.`);
  }
  if (parsed(() => definition.read(before ?? '')) === undefined) return unparsed(path, name);
  const edited = parsed(() => definition.edit(before ?? '', connection));
  if (edited === undefined) {
    return refused(path, `${path} is written in a way that Sealed Proxy cannot add to, so it is left alone.`);
  }
  if (edited.text === before) return { kind: 'unchanged', path };
  const mask = (text: string) => maskSecrets(text, connection.key);
  const preview = {
    path: found.path,
    exists: before !== undefined,
    before: mask(before ?? ''),
    after: mask(edited.text),
    changes: edited.changes.map(mask),
  };
  return { kind: 'change', path: found.path, before, after: edited.text, preview };
}

async function reading(definition: Definition, expected: Expected): Promise<Reading | Refused> {
  const path = await pathOf(definition, expected);
  const found = await readConfig(path);
  if (found.kind === 'refused') return found;
  return parsed(() => definition.read(found.text ?? '')) ?? unparsed(path, definition.name);
}

/** Undefined also where a parser gives up: at an alias of nothing, or at brackets without end. */
function parsed<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** The parser's own message is dropped: it quotes the text. */
function unparsed(path: string, name: string): Refused {
  return refused(path, `${path} cannot be read as ${name} reads it, so it is left alone. Mend it, then try again.`);
}

async function pathOf({ files }: Definition, places: Places): Promise<string> {
  for (const file of files) if (await exists(placeOf(file, places))) return placeOf(file, places);
  return placeOf(files[0], places);
}

const CONFIG = '.config/';

/** https://specifications.freedesktop.org/basedir-spec: whoever keeps its files below `.config` goes by it. */
function placeOf(path: string, { home, configHome = '' }: Places): string {
  const moved = configHome !== '' && path.startsWith(CONFIG);
  return moved ? join(configHome, path.slice(CONFIG.length)) : join(home, path);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
