// Assistants that keep their configuration in a file. A definition says where the file is, what is set in it and how it
// is read; the rest is the same for all of them.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_KEYS, isAccessKey } from '../../shared/accessKeys.ts';
import { classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import { applyChange, disconnectFile, readConfig, refused, undoChange } from '../files/configFile.ts';
import type { ConfigFormat } from '../files/configFormat.ts';
import { previousValues, removeEntry } from '../files/entryRemoval.ts';
import { mergeInto } from '../files/jsonEdit.ts';
import type { Edited, Path, Setting } from '../files/jsonEdit.ts';
import { planOf } from '../preview.ts';
import type {
  Applied,
  Assistant,
  AssistantEndpoint,
  Disconnection,
  Places,
  Plan,
  Refused,
  Unchanged,
  Undone,
} from '../types.ts';

export interface Definition extends Pick<
  Assistant,
  'id' | 'name' | 'next' | 'extension' | 'dialect' | 'needsSmallModel'
> {
  /** Relative to the home folder. The assistant is in use if any of them exists. */
  readonly folders: readonly string[];
  /** Relative to the home folder. The first that exists is used, else the first of all. */
  readonly files: readonly [string, ...string[]];
  /** A file, relative to the home folder, that the assistant would ignore if ours existed. */
  readonly shadowed?: string;
  /** Undefined if the text does not parse. An empty text stands for no file. */
  read(text: string): Reading | undefined;
  /** Only for a text that parses. Undefined if the entry cannot be added. */
  edit(text: string, endpoint: AssistantEndpoint): Edited | undefined;
  /** The text without our entry, given the text before it was added; undefined if it cannot be removed. */
  removeEntry(text: string, before: string): string | undefined;
  /** What `removeEntry` needs of `before`, as a text of the same kind. */
  previousValues(before: string, after: string): string;
}

/** The entry of an assistant whose file has values that are set one by one. */
export interface Entry {
  readonly format: ConfigFormat;
  readonly read: (value: unknown) => Reading;
  /** What to set. Members that the user has added to an object stay. */
  readonly settings: (value: unknown, endpoint: AssistantEndpoint) => readonly Setting[];
  /** Our entry, and the settings of the user that select it. */
  readonly managed: (value: unknown) => readonly Path[];
}

export function fileAssistant(definition: Definition): Assistant {
  const { id, name, next, extension, dialect, needsSmallModel, folders } = definition;
  return {
    id,
    name,
    next,
    extension,
    dialect,
    needsModel: true,
    needsSmallModel,
    detect: async (places) => (await firstExisting(folders, places)) !== undefined,
    plan: (endpoint) => plan(definition, endpoint),
    apply: applyChange,
    previousValues: (before, after) => attempt(() => definition.previousValues(before, after)) ?? '',
    undo: (applied) => undo(definition, applied),
    disconnect: (disconnection) => disconnect(definition, disconnection),
    inspect: async (expected) => {
      const found = await read(definition, expected);
      return classifyConfig(found.kind === 'refused' ? found : found.reading, expected);
    },
  };
}

/** The functions of a definition for such an entry. */
export function entryIn({
  format,
  read,
  settings,
  managed,
}: Entry): Pick<Definition, 'read' | 'edit' | 'removeEntry' | 'previousValues'> {
  return {
    read: (text) => {
      const value = format.read(text);
      return value === undefined ? undefined : read(value);
    },
    edit: (text, endpoint) => {
      const value = format.read(text);
      const wanted = settings(value, endpoint).flatMap((setting) => mergeInto(value, setting));
      return format.set(text, wanted);
    },
    removeEntry: (text, before) => removeEntry(text, before, format, managed),
    previousValues: (before, after) => previousValues(before, after, format, managed),
  };
}

async function plan(definition: Definition, endpoint: AssistantEndpoint): Promise<Plan> {
  const found = await read(definition, endpoint);
  if (found.kind === 'refused') return found;
  const { path, file } = found;
  const old = definition.shadowed === undefined ? undefined : resolve(definition.shadowed, endpoint);
  if (file.text === undefined && old !== undefined && (await exists(old)))
    return refused(
      `${definition.name} would ignore ${old} if ${path} existed. Move your configuration to the new file first.`,
    );
  const edited = attempt(() => definition.edit(file.text ?? '', endpoint));
  if (edited === undefined) {
    const remedy = 'Look for duplicate names and values of the wrong type, then try again.';
    return refused(`Sealed Proxy cannot add its entry to ${path}. ${remedy}`);
  }
  return planOf({ path: file.path, before: file.text, after: edited.text }, edited.changes, endpoint.key);
}

function undo(definition: Definition, applied: Applied): Promise<Undone | Refused> {
  return undoChange(applied, (text, before) => attempt(() => definition.removeEntry(text, before)));
}

async function disconnect(
  definition: Definition,
  { places, applied, previous = applied?.before, isOurs }: Disconnection,
): Promise<Undone | Unchanged | Refused> {
  const undone = applied && (await undo(definition, applied));
  const readingOf = (text: string) => attempt(() => definition.read(text));
  // What was there before may be an entry of Sealed Proxy, from an earlier installation.
  const before = previous === undefined || isAccessKey(readingOf(previous)?.entry?.key) ? '' : previous;
  const removeEntry = (text: string) => {
    const reading = readingOf(text);
    const key = reading?.entry?.key;
    if (isAccessKey(key)) return isOurs(key) ? attempt(() => definition.removeEntry(text, before)) : text;
    return reading === undefined && (text.match(ACCESS_KEYS) ?? []).some(isOurs) ? undefined : text;
  };
  const paths = new Set([...(applied ? [applied.path] : []), ...definition.files.map((path) => resolve(path, places))]);
  let result: Undone | Unchanged = undone?.kind === 'undone' ? { kind: 'undone' } : { kind: 'unchanged' };
  for (const path of paths) {
    // Without the previous values, the backup is the only place that has them.
    const removed = await disconnectFile(path, removeEntry, applied !== undefined || previous !== undefined);
    if (removed.kind === 'refused') return removed;
    if (removed.kind === 'undone') result = removed;
  }
  return result;
}

/** The file and what it contains. Refuses without the parser's own message, which quotes the text. */
async function read(definition: Definition, places: Places) {
  const path = (await firstExisting(definition.files, places)) ?? resolve(definition.files[0], places);
  const file = await readConfig(path);
  if (file.kind === 'refused') return file;
  const reading = attempt(() => definition.read(file.text ?? ''));
  if (reading !== undefined) return { kind: 'found', path, file, reading } as const;
  const problem = `${path} is not a valid configuration of ${definition.name}, so Sealed Proxy does not change it.`;
  return refused(`${problem} Fix it, then try again.`);
}

/** Undefined also if a parser throws, as on an unknown alias or on very deep nesting. */
function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

async function firstExisting(paths: readonly string[], places: Places): Promise<string | undefined> {
  for (const path of paths) if (await exists(resolve(path, places))) return resolve(path, places);
  return undefined;
}

/** A folder in the home folder that the user may have moved, as the assistant documents it. */
const MOVABLE = [
  ['.config', 'configHome'], // https://specifications.freedesktop.org/basedir-spec
  ['.claude', 'claudeHome'], // CLAUDE_CONFIG_DIR: https://code.claude.com/docs/en/env-vars
  ['.codex', 'codexHome'], // CODEX_HOME: https://developers.openai.com/codex/config-advanced
] as const;

function resolve(path: string, places: Places): string {
  for (const [folder, moved] of MOVABLE) {
    const target = places[moved] ?? '';
    if (target !== '' && (path === folder || path.startsWith(`${folder}/`)))
      return join(target, path.slice(folder.length));
  }
  return join(places.home, path);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
