// Assistants that keep their configuration in a file. A definition says where the file is, what is set in it and how it
// is read; the rest is the same for all of them.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_KEYS, isAccessKey } from '../../shared/accessKeys.ts';
import { classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import { applyChange, disconnectFile, readConfig, refused, undoChange } from '../files/configFile.ts';
import type { ConfigFormat } from '../files/configFormat.ts';
import { disguiseKeys, previousValues, removeEntry, writtenValues } from '../files/entryRemoval.ts';
import { mergeInto } from '../files/jsonEdit.ts';
import type { Edited, Path, Setting } from '../files/jsonEdit.ts';
import type { Route, RouteReading } from '../judgement.ts';
import { ConfigReader } from '../judging/configReader.ts';
import { unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import type { Surroundings } from '../judging/surroundings.ts';
import { TERMINAL, startVariables } from '../judging/variables.ts';
import { planOf } from '../preview.ts';
import type {
  Applied,
  Assistant,
  AssistantEndpoint,
  Disconnection,
  Expected,
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
  /** The text without our entry, given the text before and after it was added; undefined if it cannot be removed. */
  removeEntry(text: string, before: string, written?: string): string | undefined;
  /** The part of a text that is ours, as a text of the same kind. */
  writtenValues?(after: string): string;
  /** What `removeEntry` needs of `before`, as a text of the same kind. */
  previousValues(before: string, after: string): string;
  /** The ways in which its prompts leave it, given our entry as it is expected. */
  routes(context: RouteContext): Promise<readonly Route[]>;
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
    ...(definition.writtenValues && {
      writtenValues: (after) => attempt(() => definition.writtenValues?.(after)) ?? '',
    }),
    undo: (applied) => undo(definition, applied),
    disconnect: (disconnection) => disconnect(definition, disconnection),
    inspect: async (expected) => {
      const found = await read(definition, expected);
      return classifyConfig(found.kind === 'refused' ? found : found.reading, expected);
    },
    routes: (expected, surroundings) => routes(definition, expected, surroundings),
  };
}

/** The functions of a definition for such an entry. */
export function entryIn({
  format,
  read,
  settings,
  managed,
}: Entry): Pick<Definition, 'read' | 'edit' | 'removeEntry' | 'previousValues' | 'writtenValues'> {
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
    removeEntry: (text, before, written) => removeEntry(text, before, format, managed, written),
    writtenValues: (after) => writtenValues(after, format, managed),
    previousValues: (before, after) => previousValues(before, after, format, managed),
  };
}

async function routes(definition: Definition, expected: Expected, surroundings: Surroundings): Promise<RouteReading> {
  const reader = new ConfigReader();
  const own = await ownPath(definition, expected);
  const candidates = definition.files.map((path) => resolve(path, expected));
  const { baseUrl } = expected;
  const found =
    baseUrl === undefined
      ? []
      : await definition.routes({
          expected: { ...expected, baseUrl },
          surroundings,
          reader,
          own,
          userPath: (path) => resolve(path, expected),
        });
  const moved = movedRoutes(definition, own, expected, surroundings);
  const all = [...moved, ...found, ...reader.doubts].map((route) => [JSON.stringify(route), route] as const);
  return { routes: [...new Map(all).values()], watched: [...new Set([...candidates, ...reader.watched])] };
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
    const remedy = 'Look for duplicate names, values of the wrong type and comments inside values, then try again.';
    return refused(`Sealed Proxy cannot add its entry to ${path}. ${remedy}`);
  }
  const { text: before, mode } = file;
  return planOf({ path: file.path, before, after: edited.text, mode }, edited.changes, endpoint.key);
}

function undo(definition: Definition, applied: Applied): Promise<Undone | Refused> {
  return undoChange(applied, (text, before) =>
    attempt(() => definition.removeEntry(text, before, writtenIn(definition, applied))),
  );
}

/** Undefined for a change of an earlier version, of which only the texts are known, if any. */
function writtenIn(definition: Definition, { written, after, mixed }: Applied): string | undefined {
  return written ?? (mixed === true ? undefined : attempt(() => definition.writtenValues?.(after)));
}

async function disconnect(
  definition: Definition,
  { places, applied, previous = applied?.before, isOurs }: Disconnection,
): Promise<Undone | Unchanged | Refused> {
  const readingOf = (text: string) => attempt(() => definition.read(text));
  // Another editor may have replaced our entry with its own.
  const isTheirs = async (path: string) => {
    const found = await readConfig(path);
    const key = found.kind === 'found' ? readingOf(found.text ?? '')?.entry?.key : undefined;
    return isAccessKey(key) && !isOurs(key);
  };
  const isUndone = applied !== undefined && !(await isTheirs(applied.path));
  const undone = isUndone ? await undo(definition, applied) : undefined;
  // What was there before may be an entry of Sealed Proxy, from an earlier installation.
  const before = previous === undefined || isAccessKey(readingOf(previous)?.entry?.key) ? '' : previous;
  const written = applied && writtenIn(definition, applied);
  const removeEntry = (text: string) => {
    const reading = readingOf(text);
    const key = reading?.entry?.key;
    // The entry may be one of an earlier installation, whose values we did not write.
    const known = isAccessKey(key) && written?.includes(disguiseKeys(key)) === true ? written : undefined;
    if (isAccessKey(key)) return isOurs(key) ? attempt(() => definition.removeEntry(text, before, known)) : text;
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
  const path = await ownPath(definition, places);
  const file = await readConfig(path);
  if (file.kind === 'refused') return file;
  const reading = attempt(() => definition.read(file.text ?? ''));
  if (reading !== undefined) return { kind: 'found', path, file, reading } as const;
  const problem = `${path} is not a valid configuration of ${definition.name}, so Sealed Proxy does not change it.`;
  return refused(`${problem} Fix it, then try again.`);
}

async function ownPath({ files }: Definition, places: Places): Promise<string> {
  return (await firstExisting(files, places)) ?? resolve(files[0], places);
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

/** What a variable moves from the home folder to another place, as the assistant documents it or does. */
const MOVABLE = [
  { variable: 'XDG_CONFIG_HOME', moved: '.config', place: 'configHome' }, // https://specifications.freedesktop.org/basedir-spec
  { variable: 'CLAUDE_CONFIG_DIR', moved: '.claude', place: 'claudeHome' }, // https://code.claude.com/docs/en/env-vars
  { variable: 'CODEX_HOME', moved: '.codex', place: 'codexHome' }, // https://developers.openai.com/codex/config-advanced
  { variable: 'QWEN_HOME', moved: '.qwen' },
  { variable: 'CONTINUE_GLOBAL_DIR', moved: '.continue' },
  { variable: 'CLINE_DIR', moved: '.cline' },
  { variable: 'CLINE_DATA_DIR', moved: '.cline/data' },
  { variable: 'CLINE_PROVIDER_SETTINGS_PATH', moved: '.cline/data/settings/providers.json' },
] as const;

function resolve(path: string, places: Places): string {
  for (const movable of MOVABLE) {
    const target = ('place' in movable ? places[movable.place] : undefined) ?? '';
    if (target !== '' && isIn(path, movable.moved)) return join(target, path.slice(movable.moved.length));
  }
  return join(places.home, path);
}

/** A route for each variable with which the assistant reads another file than `own`. */
function movedRoutes({ files }: Definition, own: string, places: Places, surroundings: Surroundings): readonly Route[] {
  return startVariables(surroundings).flatMap((variables) =>
    MOVABLE.flatMap(({ variable, moved }) => {
      const candidates = files.filter((path) => isIn(path, moved));
      if (candidates.length === 0) return [];
      const found = variables.get(variable);
      const target = found?.value || join(places.home, moved);
      const isOurs = candidates.some((path) => join(target, path.slice(moved.length)) === own);
      return isOurs ? [] : [unknown('All prompts', found?.source ?? TERMINAL)];
    }),
  );
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
