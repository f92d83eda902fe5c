// Writes settings of the editor's own chat, remembers the previous values, and undoes everything in one step. If nothing else
// has changed settings.json since, undo restores the file itself: the editor's API for settings cannot restore bytes.
import { isDeepStrictEqual } from 'node:util';
import type { UserSetting } from '../chat/sidePrompts/facts.ts';
import type { SecretEntries } from '../keys/secrets.ts';
import { asObject, fieldsOf, parseJson } from '../shared/json.ts';
import { Queue } from '../shared/queue.ts';
import type { UserSettings } from './adapters/llamaVscode.ts';
import { jsonc } from './formats/json.ts';

const ID = 'vscode-chat';
const VERSION = 1;

/** The files that may be the user's settings.json, by URI. */
export interface SettingsFiles {
  readonly candidates: readonly string[];
  /** Undefined if the file cannot be read. */
  readonly read: (uri: string) => Promise<Uint8Array | undefined>;
  readonly write: (uri: string, bytes: Uint8Array) => Promise<void>;
  /** Whether the file is open with changes that are not saved. */
  readonly isUnsaved: (uri: string) => boolean;
}

export interface Undone {
  /** settings.json has the same bytes as before. */
  readonly exact: boolean;
  /** The settings that the user has changed since; they keep their values. */
  readonly kept: readonly string[];
}

interface Remembered {
  /** Absent = not set. */
  readonly before?: unknown;
  readonly after: unknown;
}

interface Entry {
  readonly values: Readonly<Record<string, Remembered>>;
  /** The file before the first change and after the last one, in base64; undefined if it was not found or changed between. */
  readonly file: { readonly uri: string; readonly before: string; readonly after: string } | undefined;
}

export class ChatSettings {
  readonly #settings: UserSettings;
  readonly #files: SettingsFiles;
  readonly #storage: SecretEntries;
  /** Runs changes one after the other. */
  readonly #queue = new Queue();

  constructor(settings: UserSettings, files: SettingsFiles, storage: SecretEntries) {
    this.#settings = settings;
    this.#files = files;
    this.#storage = storage;
  }

  /** The settings that `undo()` would restore. */
  async undoable(): Promise<readonly string[]> {
    return Object.keys((await this.#entry())?.values ?? {});
  }

  /** What `undo()` would set; undefined = not set. */
  async previous(): Promise<readonly UserSetting[]> {
    const values = (await this.#entry())?.values ?? {};
    return Object.entries(values).map(([key, { before }]) => ({ key, value: before }));
  }

  /**
   * Writes all of these settings, or none.
   * @throws Error the editor's, if one cannot be written
   */
  apply(changes: readonly UserSetting[]): Promise<void> {
    return this.#queue.run(async () => {
      const earlier = await this.#entry();
      const files = await this.#readFiles();
      const values = this.#valuesWith(changes, earlier);
      await this.#keep({ values, file: undefined }); // first, so that a crash leaves something to undo
      await this.#writeAll(changes, earlier);
      await this.#keep({ values, file: await this.#changedFile(files, changes, earlier) });
    });
  }

  /**
   * Restores what was set before the first change; undefined if there is nothing to undo.
   * @throws Error if settings.json has unsaved changes, or cannot be written
   */
  undo(): Promise<Undone | undefined> {
    return this.#queue.run(async () => {
      const entry = await this.#entry();
      if (entry === undefined) return undefined;
      const { values, file } = entry;
      if (file !== undefined && this.#files.isUnsaved(file.uri)) {
        throw new Error('settings.json has unsaved changes. Save or revert them, then undo again.');
      }
      const isUnchanged = file !== undefined && (await this.#hasContent(file.uri, file.after));
      // The editor may not notice that its file was written, so it first gets the values from its own API.
      const kept = await this.#restoreValues(values);
      // Another window or a synchronization may have written to it meanwhile.
      if (isUnchanged && (await this.#hasValues(file.uri, file.before)))
        await this.#files.write(file.uri, Buffer.from(file.before, 'base64')).catch(() => undefined);
      await this.#storage.delete(ID);
      return { exact: file !== undefined && (await this.#hasContent(file.uri, file.before)), kept };
    });
  }

  #valuesWith(changes: readonly UserSetting[], earlier: Entry | undefined): Entry['values'] {
    const written = changes.map(({ key, value }) => {
      const known = earlier?.values[key];
      const current = this.#settings.read(key);
      const isOurs = known !== undefined && isDeepStrictEqual(current, known.after);
      const before = isOurs ? known.before : current;
      return [key, { ...(before === undefined ? {} : { before }), after: value }] as const;
    });
    return { ...earlier?.values, ...Object.fromEntries(written) };
  }

  async #writeAll(changes: readonly UserSetting[], earlier: Entry | undefined): Promise<void> {
    const previous = changes.map(({ key }) => ({ key, value: this.#settings.read(key) }));
    let done = 0;
    try {
      for (const { key, value } of changes) {
        await this.#settings.write(key, value);
        done++;
      }
    } catch (error) {
      for (const { key, value } of previous.slice(0, done)) await this.#settings.write(key, value);
      if (earlier === undefined) await this.#storage.delete(ID);
      else await this.#keep(earlier);
      throw error;
    }
  }

  async #readFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
    const { candidates, read } = this.#files;
    const contents = await Promise.all(candidates.map(async (uri) => [uri, await read(uri)] as const));
    return new Map(contents.flatMap(([uri, bytes]) => (bytes === undefined ? [] : [[uri, bytes] as const])));
  }

  /** The file that the editor has just changed, if it is one of these and nothing else in it has changed. */
  async #changedFile(
    files: ReadonlyMap<string, Uint8Array>,
    changes: readonly UserSetting[],
    earlier: Entry | undefined,
  ): Promise<Entry['file']> {
    for (const [uri, before] of files) {
      const after = await this.#files.read(uri);
      if (after === undefined || !isExplainedBy(changes, before, after)) continue;
      if (earlier === undefined) return { uri, before: base64(before), after: base64(after) };
      const continues = earlier.file?.uri === uri && earlier.file.after === base64(before);
      return continues ? { uri, before: earlier.file.before, after: base64(after) } : undefined;
    }
    return undefined;
  }

  async #hasContent(uri: string, content: string): Promise<boolean> {
    const now = await this.#files.read(uri);
    return now !== undefined && base64(now) === content;
  }

  /** Whether the file has the values of `content`, however they are written. */
  async #hasValues(uri: string, content: string): Promise<boolean> {
    const [wanted, now] = [valuesOf(Buffer.from(content, 'base64')), valuesOf((await this.#files.read(uri)) ?? [])];
    return wanted !== undefined && isDeepStrictEqual(now, wanted);
  }

  async #restoreValues(values: Entry['values']): Promise<readonly string[]> {
    const kept: string[] = [];
    for (const [key, { before, after }] of Object.entries(values)) {
      const current = this.#settings.read(key);
      if (isDeepStrictEqual(current, before)) continue;
      if (isDeepStrictEqual(current, after)) await this.#settings.write(key, before);
      else kept.push(key);
    }
    return kept;
  }

  async #entry(): Promise<Entry | undefined> {
    const text = await this.#storage.get(ID);
    return text === undefined ? undefined : parse(text);
  }

  async #keep(entry: Entry): Promise<void> {
    await this.#storage.set(ID, JSON.stringify({ version: VERSION, ...entry }));
  }
}

/** Whether the new content has the new values, and every other value is as it was. */
function isExplainedBy(changes: readonly UserSetting[], before: Uint8Array, after: Uint8Array): boolean {
  const [old, next] = [valuesOf(before), valuesOf(after)];
  if (old === undefined || next === undefined || base64(before) === base64(after)) return false;
  const written = Object.fromEntries(changes.map(({ key, value }) => [key, value]));
  return isDeepStrictEqual({ ...old, ...written }, next);
}

/** Undefined if the bytes are not those of a settings.json. */
function valuesOf(bytes: Uint8Array | readonly number[]): Readonly<Record<string, unknown>> | undefined {
  return asObject(jsonc.read(Buffer.from(bytes).toString('utf8')));
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function parse(text: string): Entry | undefined {
  const { version, values, file } = fieldsOf(parseJson(text));
  if (version !== VERSION || asObject(values) === undefined) return undefined;
  const { uri, before, after } = fieldsOf(file);
  const isFile = typeof uri === 'string' && typeof before === 'string' && typeof after === 'string';
  return {
    values: Object.fromEntries(
      Object.entries(fieldsOf(values)).map(([key, value]) => {
        const { after: written, ...rest } = fieldsOf(value);
        return [key, { ...rest, after: written }];
      }),
    ),
    file: isFile ? { uri, before, after } : undefined,
  };
}
