// Removes our entries from the configurations of all assistants: in the editor, or by its record after the extension was
// uninstalled. That script runs without the editor, so it knows neither secrets nor settings.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { persist, withDraft } from '../disk/atomicFile.ts';
import type { Secrets } from '../keys/secrets.ts';
import { redactConfig } from '../presentation/redaction.ts';
import { sentence } from '../presentation/text.ts';
import { ACCESS_KEYS, accessKeyId, isAccessKey } from '../shared/accessKeys.ts';
import { asObject, fieldsOf, isListOf, isNumber, isOptional, isString, parseJson, passes } from '../shared/json.ts';
import type { Assistant, Places } from './adapters/assistant.ts';
import { ENTRY_NAMES } from './adapters/llamaVscode.ts';
import type { Applied } from './files/change.ts';
import { disconnectFile } from './files/configFile.ts';
import { disguiseKeys } from './files/entryRemoval.ts';
import { jsonc } from './formats/json.ts';
import { FILE_ASSISTANTS } from './registry.ts';
import type { UndoStore } from './undoStore.ts';

/** Something that could not be removed. */
export interface Leftover {
  /** A path, or the name of what contains it. */
  readonly where: string;
  /** For the user, in sentences: the reason, and what to do. */
  readonly message: string;
}

/** What the uninstall script reads. Holds no secret. */
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
  /** The folder of the extension's data, which has the usage history. */
  readonly storage?: string;
}

const VERSION = 1;

export class Leave {
  readonly #assistants: readonly Assistant[];
  readonly #undo: UndoStore;
  readonly #places: Places;
  readonly #secrets: Pick<Secrets, 'accessKeys'>;

  constructor(assistants: readonly Assistant[], undo: UndoStore, places: Places, secrets: Pick<Secrets, 'accessKeys'>) {
    this.#assistants = assistants;
    this.#undo = undo;
    this.#places = places;
    this.#secrets = secrets;
  }

  /** Removes our entry from every configuration, also where the undo data does not suffice. Revokes no key. */
  async disconnectAll(): Promise<readonly Leftover[]> {
    const ids = (await this.#secrets.accessKeys()).map(({ id }) => id);
    const leftovers: Leftover[] = [];
    for (const assistant of this.#assistants) {
      const where = assistant.name;
      try {
        const applied = await this.#undo.get(assistant.id);
        const written = writtenKeys(applied);
        const isOurs = (key: string) => ids.includes(accessKeyId(key)) || written.includes(disguiseKeys(key));
        const result = await assistant.disconnect({ places: this.#places, applied, isOurs });
        if (result.kind === 'refused') leftovers.push({ where, message: result.message });
      } catch (error) {
        const message = `Its configuration could not be changed. ${sentence(String(error))} Run this command again.`;
        leftovers.push({ where, message });
      }
    }
    return leftovers;
  }

  /** What is needed to remove our entries without the editor. */
  async record(settings: readonly string[]): Promise<UninstallRecord> {
    const previous: Record<string, string> = {};
    for (const { id, previousValues } of this.#assistants) {
      const applied = await this.#undo.get(id);
      const text = applied && previousValues?.(applied.before ?? '', applied.after);
      if (text !== undefined && redactConfig(text, '') === text) previous[id] = text;
    }
    const keys = (await this.#secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    return { places: this.#places, keys: keys.map(({ id }) => id), previous, settings };
  }
}

/** The disguised keys that this editor has written: another one on this computer may have written an entry of its own. */
function writtenKeys(applied: Applied | undefined): readonly string[] {
  if (applied === undefined) return [];
  const after = applied.mixed === true ? '' : disguiseKeys(applied.after);
  return `${after}\n${applied.written ?? ''}`.match(ACCESS_KEYS) ?? [];
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
  const record = parseJson(await readFile(path, 'utf8').catch(() => ''));
  return isRecord(record) ? record : undefined;
}

function isRecord(value: unknown): value is UninstallRecord {
  const { version, previous } = fieldsOf(value);
  const checks = {
    places: (places: unknown) =>
      passes(places, {
        home: isString,
        configHome: isOptional(isString),
        claudeHome: isOptional(isString),
        codexHome: isOptional(isString),
      }),
    keys: isListOf(isString),
    settings: isListOf(isString),
    port: isOptional(isNumber),
    storage: isOptional(isString),
  };
  const texts = asObject(previous);
  return version === VERSION && texts !== undefined && Object.values(texts).every(isString) && passes(value, checks);
}

/** Without the editor. Resolves to what could not be removed and why, in sentences. */
export async function uninstall(record: UninstallRecord): Promise<readonly string[]> {
  const { places, previous, keys, settings, port } = record;
  const isOurs = (key: unknown) => isAccessKey(key) && keys.includes(accessKeyId(key));
  const results = [];
  for (const assistant of FILE_ASSISTANTS)
    results.push(await assistant.disconnect({ places, previous: previous[assistant.id], isOurs }));
  for (const path of settings)
    results.push(await disconnectFile(path, (text) => withoutSettings(text, isOurs, port), false));
  return results.filter((result) => result.kind === 'refused').map(({ message }) => message);
}

/** @param port that the extension wrote, if any: another one is the user's */
function withoutSettings(text: string, isOurs: (key: unknown) => boolean, port?: number): string | undefined {
  const values = asObject(jsonc.read(text));
  if (values === undefined) return text; // the editor does not read it either
  const hasKey = ENTRY_NAMES.some((name) => isOurs(values[name]));
  const isWritten = (name: string) =>
    name === 'sealedProxy.baseUrl' ||
    (name === 'sealedProxy.port' && values[name] === port) ||
    (hasKey && ENTRY_NAMES.includes(name));
  const removed = Object.keys(values).filter(isWritten);
  const settings = removed.map((name) => ({ path: [name], value: undefined }));
  return removed.length === 0 ? text : jsonc.set(text, settings)?.text;
}
