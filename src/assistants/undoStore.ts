// What is kept to undo a change to an assistant's configuration: one entry for each assistant. Only this file knows the
// stored format.
import type { Secrets } from '../keys/secrets.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { Applied } from './types.ts';

/** Secret, because the texts hold files with keys in them. */
export type UndoStorage = Pick<Secrets, 'undoOf' | 'keepUndo' | 'forgetUndo'>;

/** Entries written up to version 0.4 have no version; their fields are the same. */
const VERSION = 1;

export class UndoStore {
  readonly #storage: UndoStorage;

  constructor(storage: UndoStorage) {
    this.#storage = storage;
  }

  /** Undefined if there is no entry, or if it has an unknown format. */
  async get(id: string): Promise<Applied | undefined> {
    const text = await this.#storage.undoOf(id);
    return text === undefined ? undefined : parse(text);
  }

  async set(id: string, { path, before, after, madeFolder, mixed }: Applied): Promise<void> {
    const entry = { version: VERSION, path, before, after, madeFolder, mixed };
    await this.#storage.keepUndo(id, JSON.stringify(entry));
  }

  async delete(id: string): Promise<void> {
    await this.#storage.forgetUndo(id);
  }
}

function parse(text: string): Applied | undefined {
  const { version = VERSION, path, before, after, madeFolder, mixed } = fieldsOf(parseJson(text));
  if (version !== VERSION || typeof path !== 'string' || typeof after !== 'string') return undefined;
  if (!isOptionalText(before) || !isOptionalText(madeFolder)) return undefined;
  return { kind: 'applied', path, before, after, madeFolder, mixed: mixed === true };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
