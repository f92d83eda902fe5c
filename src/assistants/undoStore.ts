// What is kept to undo a change to an assistant's configuration: one entry for each assistant. Only this file knows the
// stored format. Of a file, only the lines that we changed are kept, and a digest that tells whether it was edited since.
import { hash } from 'node:crypto';
import type { SecretEntries, Secrets } from '../keys/secrets.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { Assistant } from './adapters/assistant.ts';
import type { Applied } from './files/change.ts';
import { readConfig } from './files/configFile.ts';
import { applyPatch, isTextPatch, makePatch } from './files/textPatch.ts';

/** The stored entries. Secret, because the texts may have keys in them. */
export function undoEntries(secrets: Pick<Secrets, 'entries'>): SecretEntries {
  return secrets.entries('undo');
}

type Undoable = Pick<Assistant, 'id' | 'previousValues' | 'writtenValues'>;

/** The entry of a configuration without a file has both complete texts. */
const WHOLE = 1;
const PATCH = 2;

export class UndoStore {
  readonly #entries: SecretEntries;

  constructor(entries: SecretEntries) {
    this.#entries = entries;
  }

  /** Undefined if there is no entry, or if it has an unknown format. */
  async get(id: string): Promise<Applied | undefined> {
    return parse(await this.#entries.get(id));
  }

  async set(
    { id, previousValues, writtenValues }: Undoable,
    { path, before, after, mode, madeFolder, mixed }: Applied,
  ): Promise<void> {
    const common = { path, mode, madeFolder, mixed };
    const entry =
      previousValues === undefined
        ? { version: WHOLE, ...common, before, after }
        : {
            version: PATCH,
            ...common,
            existed: before !== undefined,
            previous: previousValues(before ?? '', after),
            written: writtenValues?.(after),
            patch: mixed === true ? [] : makePatch(after, before ?? ''),
            digest: digestOf(after),
          };
    await this.#entries.set(id, JSON.stringify(entry));
  }

  async delete(id: string): Promise<void> {
    await this.#entries.delete(id);
  }
}

async function parse(json: string | undefined): Promise<Applied | undefined> {
  if (json === undefined) return undefined;
  const fields = fieldsOf(parseJson(json));
  const { version, path, before, after, mode, written, madeFolder, mixed } = fields;
  if (typeof path !== 'string' || !isOptionalText(madeFolder) || !isOptionalText(written)) return undefined;
  const known = typeof mode === 'number' ? { mode } : {};
  const common = { kind: 'applied', path, madeFolder, ...known } as const;
  if (version === PATCH) return restore(common, fields, written);
  if (version !== WHOLE || typeof after !== 'string' || !isOptionalText(before)) return undefined;
  return { ...common, before, after, mixed: mixed === true };
}

/** The complete texts if the file is as we wrote it; otherwise what is needed to remove our entry. */
async function restore(
  common: Pick<Applied, 'kind' | 'path' | 'madeFolder' | 'mode'>,
  { existed, previous, patch, digest, mixed }: Readonly<Record<string, unknown>>,
  written: string | undefined,
): Promise<Applied | undefined> {
  if (typeof existed !== 'boolean' || typeof previous !== 'string' || !isTextPatch(patch)) return undefined;
  const found = await readConfig(common.path);
  const text = found.kind === 'found' && found.path === common.path ? found.text : undefined;
  if (mixed === true || text === undefined || digestOf(text) !== digest)
    return {
      ...common,
      before: existed ? previous : undefined,
      after: text ?? '',
      mixed: true,
      ...(written !== undefined && { written }),
    };
  return { ...common, before: existed ? applyPatch(text, patch) : undefined, after: text, mixed: false };
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** Two of our changes as one, which is undone byte by byte unless another program wrote in between. */
export function mergeChanges(earlier: Applied | undefined, later: Applied): Applied {
  if (earlier?.path !== later.path) return later;
  const mixed = earlier.mixed === true || earlier.after !== later.before;
  const mode = earlier.mode ?? later.mode;
  return {
    ...later,
    before: earlier.before,
    ...(mode !== undefined && { mode }),
    madeFolder: earlier.madeFolder,
    mixed,
  };
}
