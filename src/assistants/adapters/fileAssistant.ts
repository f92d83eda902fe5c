// Assistants that keep their configuration in a file. A definition says where the file is, what is set in it and how it
// is read; the rest is the same for all of them.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_KEYS, isAccessKey } from '../../shared/accessKeys.ts';
import { refused } from '../files/change.ts';
import type { Applied, Plan, Refused, Unchanged, Undone } from '../files/change.ts';
import { NOT_CHANGED, applyChange, disconnectFile, readConfig, undoChange } from '../files/configFile.ts';
import { disguiseKeys, previousValues, removeEntry, writtenValues } from '../files/entryRemoval.ts';
import { planOf } from '../files/preview.ts';
import type { ConfigFormat } from '../formats/format.ts';
import { mergeInto } from '../formats/format.ts';
import type { Edited, Path, Setting } from '../formats/format.ts';
import { ConfigReader } from '../judging/configReader.ts';
import type { Route, RouteReading } from '../judging/judgement.ts';
import { unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import type { Surroundings } from '../judging/surroundings.ts';
import { TERMINAL, startVariables } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';
import type { Assistant, AssistantEndpoint, Disconnection, Expected, Places } from './assistant.ts';
import { classifyConfig } from './configState.ts';
import type { Reading } from './configState.ts';

export interface Move {
  readonly variable: string;
  /** Relative to the home folder. */
  readonly folder: string;
  /** Where the editor's value of the variable is; without it, a moved file is not found. */
  readonly place?: Exclude<keyof Places, 'home'>;
}

export interface Definition extends Pick<
  Assistant,
  'id' | 'name' | 'next' | 'extension' | 'command' | 'dialect' | 'needsSmallModel'
> {
  /** Relative to the home folder. The assistant is in use if any of them exists. */
  readonly folders: readonly string[];
  /** Relative to the home folder. The first that exists is used, else the first of all. */
  readonly files: readonly [string, ...string[]];
  /** The variables that move a folder from the home folder to another place, as the assistant documents it or does. */
  readonly moves?: readonly Move[];
  /** A file, relative to the home folder, that the assistant would ignore if ours existed. */
  readonly shadowed?: string;
  readonly format: ConfigFormat;
  readonly read: (value: unknown) => Reading;
  /** What to set. Members that the user has added to an object stay. */
  readonly settings: (value: unknown, endpoint: AssistantEndpoint) => readonly Setting[];
  /** Our entry, and the settings of the user that select it. */
  readonly managed: (value: unknown) => readonly Path[];
  /** What stays when our entry is removed from a file that was edited since; by default, what was there before. */
  readonly remains?: object;
  /** The ways in which its prompts leave it, given our entry as it is expected. */
  routes(context: RouteContext): Promise<readonly Route[]>;
}

export function fileAssistant(definition: Definition): Assistant {
  const { id, name, next, extension, command, dialect, needsSmallModel, folders } = definition;
  return {
    id,
    name,
    next,
    extension,
    command,
    dialect,
    needsModel: true,
    needsSmallModel,
    detect: async (places) => (await firstExisting(definition, folders, places)) !== undefined,
    plan: (endpoint) => plan(definition, endpoint),
    apply: applyChange,
    previousValues: (before, after) => {
      const { format, managed, remains } = definition;
      if (remains !== undefined) return '';
      return attempt(() => previousValues(before, after, format, managed)) ?? '';
    },
    writtenValues: (after) => writtenIn(definition, after) ?? '',
    undo: (applied) => undo(definition, applied),
    disconnect: (disconnection) => disconnect(definition, disconnection),
    inspect: async (expected) => {
      const found = await read(definition, expected);
      return classifyConfig(found.kind === 'refused' ? found : found.reading, expected);
    },
    routes: (expected, surroundings) => routes(definition, expected, surroundings),
  };
}

async function routes(definition: Definition, expected: Expected, surroundings: Surroundings): Promise<RouteReading> {
  const reader = new ConfigReader();
  const own = await ownPath(definition, expected);
  const starts = startVariables(surroundings);
  const candidates = definition.files.map((path) => resolve(definition, path, expected));
  const { baseUrl } = expected;
  const found =
    baseUrl === undefined
      ? []
      : await definition.routes({
          expected: { ...expected, baseUrl },
          surroundings,
          reader,
          own,
          userPath: (path) => resolve(definition, path, expected),
          starts,
          projects: surroundings.folders.length === 0 ? [undefined] : surroundings.folders,
        });
  const moved = movedRoutes(definition, own, expected, starts);
  const all = [...moved, ...found, ...reader.doubts].map((route) => [JSON.stringify(route), route] as const);
  return { routes: [...new Map(all).values()], watched: [...new Set([...candidates, ...reader.watched])] };
}

async function plan(definition: Definition, endpoint: AssistantEndpoint): Promise<Plan> {
  const found = await read(definition, endpoint);
  if (found.kind === 'refused') return found;
  const { path, file } = found;
  const old = definition.shadowed === undefined ? undefined : resolve(definition, definition.shadowed, endpoint);
  if (file.text === undefined && old !== undefined && (await exists(old)))
    return refused(
      `${definition.name} would ignore ${old} if ${path} existed. Move your configuration to the new file first.`,
    );
  const edited = attempt(() => edit(definition, file.text ?? '', endpoint));
  if (edited === undefined) {
    const remedy = 'Look for duplicate names, values of the wrong type and comments inside values, then try again.';
    return refused(`Sealed Proxy cannot add its entry to ${path}. ${remedy}`, path);
  }
  const { text: before, mode } = file;
  return planOf({ path: file.path, before, after: edited.text, mode }, edited.changes, endpoint.key);
}

function edit({ format, settings }: Definition, text: string, endpoint: AssistantEndpoint): Edited | undefined {
  const value = format.read(text);
  const wanted = settings(value, endpoint).flatMap((setting) => mergeInto(value, setting));
  return format.set(text, wanted);
}

function undo(definition: Definition, applied: Applied): Promise<Undone | Refused> {
  const written = knownWritten(definition, applied);
  return undoChange(applied, (text, before) => withoutEntry(definition, text, before, written));
}

function withoutEntry(
  { format, managed, remains }: Definition,
  text: string,
  before: string,
  written: string | undefined,
): string | undefined {
  return attempt(() =>
    removeEntry(text, remains === undefined ? before : format.write(remains), format, managed, written),
  );
}

/** Undefined for a change of an earlier version, of which only the texts are known, if any. */
function knownWritten(definition: Definition, { written, after, mixed }: Applied): string | undefined {
  return written ?? (mixed === true ? undefined : writtenIn(definition, after));
}

function writtenIn({ format, managed }: Definition, text: string): string | undefined {
  return attempt(() => writtenValues(text, format, managed));
}

function readingOf({ format, read }: Definition, text: string): Reading | undefined {
  return attempt(() => {
    const value = format.read(text);
    return value === undefined ? undefined : read(value);
  });
}

async function disconnect(
  definition: Definition,
  { places, applied, previous = applied?.before, isOurs }: Disconnection,
): Promise<Undone | Unchanged | Refused> {
  // Another editor may have replaced our entry with its own.
  const isTheirs = async (path: string) => {
    const found = await readConfig(path);
    const key = found.kind === 'found' ? readingOf(definition, found.text ?? '')?.entry?.key : undefined;
    return isAccessKey(key) && !isOurs(key);
  };
  const isUndone = applied !== undefined && !(await isTheirs(applied.path));
  const undone = isUndone ? await undo(definition, applied) : undefined;
  // What was there before may be an entry of Sealed Proxy, from an earlier installation.
  const before = previous === undefined || isAccessKey(readingOf(definition, previous)?.entry?.key) ? '' : previous;
  const written = applied && knownWritten(definition, applied);
  const withoutOurs = (text: string) => {
    const reading = readingOf(definition, text);
    const key = reading?.entry?.key;
    // The entry may be one of an earlier installation, whose values we did not write.
    const known = isAccessKey(key) && written?.includes(disguiseKeys(key)) === true ? written : undefined;
    if (isAccessKey(key)) return isOurs(key) ? withoutEntry(definition, text, before, known) : text;
    return reading === undefined && (text.match(ACCESS_KEYS) ?? []).some(isOurs) ? undefined : text;
  };
  const paths = new Set([
    ...(applied ? [applied.path] : []),
    ...definition.files.map((path) => resolve(definition, path, places)),
  ]);
  let result: Undone | Unchanged = undone?.kind === 'undone' ? { kind: 'undone' } : { kind: 'unchanged' };
  for (const path of paths) {
    // Without the previous values, the backup is the only place that has them.
    const removed = await disconnectFile(path, withoutOurs, applied !== undefined || previous !== undefined);
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
  const reading = readingOf(definition, file.text ?? '');
  if (reading !== undefined) return { kind: 'found', path, file, reading } as const;
  const problem = `The file is not a valid configuration of ${definition.name}${NOT_CHANGED}${path}.`;
  return refused(`${problem} Fix it, then try again.`, path);
}

async function ownPath(definition: Definition, places: Places): Promise<string> {
  const { files } = definition;
  return (await firstExisting(definition, files, places)) ?? resolve(definition, files[0], places);
}

/** Undefined also if a parser throws, as on an unknown alias or on very deep nesting. */
function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

async function firstExisting(
  definition: Definition,
  paths: readonly string[],
  places: Places,
): Promise<string | undefined> {
  for (const path of paths.map((each) => resolve(definition, each, places))) if (await exists(path)) return path;
  return undefined;
}

function resolve({ moves = [] }: Pick<Definition, 'moves'>, path: string, places: Places): string {
  for (const { folder, place } of moves) {
    const target = (place === undefined ? undefined : places[place]) ?? '';
    if (target !== '' && isIn(path, folder)) return join(target, path.slice(folder.length));
  }
  return join(places.home, path);
}

/** A route for each variable with which the assistant reads another file than `own`. */
function movedRoutes(
  { files, moves = [] }: Definition,
  own: string,
  { home }: Places,
  starts: readonly Variables[],
): readonly Route[] {
  return starts.flatMap((variables) =>
    moves.flatMap(({ variable, folder }) => {
      const candidates = files.filter((path) => isIn(path, folder));
      const found = variables.get(variable);
      const target = found?.value || join(home, folder);
      const isOurs = candidates.some((path) => join(target, path.slice(folder.length)) === own);
      return isOurs ? [] : [unknown('All prompts', { source: found?.source ?? TERMINAL })];
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
