// What the uninstall script reads: it runs without the editor, so it knows neither secrets nor settings. Holds no secret.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { persist, withDraft } from '../disk/atomicFile.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import { redactConfig } from '../presentation/redaction.ts';
import { asObject, fieldsOf, parseJson } from '../shared/json.ts';
import type { Assistant, Places } from './types.ts';
import type { UndoStore } from './undoStore.ts';

export interface UninstallRecord {
  readonly places: Places;
  /** The IDs of the access keys that this editor gave to assistants. */
  readonly keys: readonly string[];
  /** See `Assistant.previousValues`, by the assistant's ID. Not for an assistant whose previous values are secret. */
  readonly previous: Readonly<Record<string, string>>;
  /** Where the editor may keep its settings. */
  readonly settings: readonly string[];
  /** The value of `sealedProxy.port` that the extension wrote last. */
  readonly port?: number;
  /** The folder of the extension's data, which has the usage history. Missing in the record of an earlier version. */
  readonly storage?: string;
}

const VERSION = 1;

export async function makeRecord(
  assistants: readonly Assistant[],
  keys: readonly AccessKey[],
  undo: UndoStore,
  places: Places,
  settings: readonly string[],
): Promise<UninstallRecord> {
  const previous: Record<string, string> = {};
  for (const { id, previousValues } of assistants) {
    const applied = await undo.get(id);
    const text = applied && previousValues?.(applied.before ?? '', applied.after);
    if (text !== undefined && redactConfig(text, '') === text) previous[id] = text;
  }
  const ids = keys.filter(({ origin }) => origin === 'assistant').map(({ id }) => id);
  return { places, keys: ids, previous, settings };
}

/** Writes the record, or deletes it if there is nothing to remove. */
export async function writeRecord(path: string, record: UninstallRecord | undefined): Promise<void> {
  if (record === undefined) {
    await rm(path, { force: true });
    return;
  }
  // Several windows write it.
  await withDraft(path, async (draft) => {
    await writeFile(draft, JSON.stringify({ version: VERSION, ...record }));
    await persist(() => rename(draft, path));
  });
}

/** Undefined if there is no record, or it is damaged, or has another version. */
export async function readRecord(path: string): Promise<UninstallRecord | undefined> {
  return parseRecord(await readFile(path, 'utf8').catch(() => ''));
}

/** Undefined if the text is damaged, or has another version. */
export function parseRecord(json: string): UninstallRecord | undefined {
  const { version, places, keys, previous, settings, port, storage } = fieldsOf(parseJson(json));
  const { home, ...moved } = fieldsOf(places);
  const texts = asObject(previous);
  if (version !== VERSION || typeof home !== 'string' || texts === undefined) return undefined;
  if (!isTextList(keys) || !isTextList(settings) || !isTextList(Object.values(texts))) return undefined;
  return {
    places: { home, ...movedFolders(moved) },
    keys,
    previous: texts as Readonly<Record<string, string>>,
    settings,
    ...(typeof port === 'number' && { port }),
    ...(typeof storage === 'string' && { storage }),
  };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function movedFolders(fields: Readonly<Record<string, unknown>>): Omit<Places, 'home'> {
  const moved = (['configHome', 'claudeHome', 'codexHome'] as const).flatMap((name) => {
    const path = fields[name];
    return typeof path === 'string' ? [[name, path] as const] : [];
  });
  return Object.fromEntries(moved);
}
