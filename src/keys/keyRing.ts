// The stored access keys. Each one belongs to one computer: other computers that share the secret storage, such as those of
// remote windows, do not accept it. Keys of versions up to 0.4 belong to none until one of them uses it.
import { fieldsOf, parseJson } from '../shared/json.ts';
import { oldestFirst, parseAccessKey } from './accessKeys.ts';
import type { AccessKey } from './accessKeys.ts';
import type { MachineStore } from './machineStore.ts';
import { nameOf, parseName, sharesFolder } from './secretNames.ts';
import type { EntryName } from './secretNames.ts';
import type { CachedStorage } from './secretStorage.ts';

/** A valid access key. */
export interface StoredKey extends AccessKey {
  /** False for a key of an earlier version that no computer has used since. Every computer accepts it until then. */
  readonly isBound: boolean;
  /** Another computer accepts it as well, which only a key of an earlier version can be. */
  readonly isShared: boolean;
}

export class KeyRing {
  readonly #storage: CachedStorage;
  readonly #machine: MachineStore;

  constructor(storage: CachedStorage, machine: MachineStore) {
    this.#storage = storage;
    this.#machine = machine;
  }

  /** All keys that are valid on this computer, oldest first. */
  async keys(): Promise<readonly StoredKey[]> {
    const [machine, all, revoked] = await Promise.all([
      this.#machine.machineId(),
      this.#entries(),
      this.#machine.revokedIds(),
    ]);
    const keys = await Promise.all(
      all.map(async (entry) => {
        const others = all.filter(({ id, machine: owner }) => id === entry.id && owner !== undefined);
        const isValid = entry.machine === machine || (entry.machine === undefined && others.length === 0);
        const key = isValid && !revoked.has(entry.id) ? await this.#read(entry) : undefined;
        const isShared = others.some((other) => !sharesFolder(other.machine ?? '', machine));
        return key && { ...key, isBound: entry.machine !== undefined, isShared };
      }),
    );
    // Each computer makes a key of its own for the extension.
    const valid = keys.filter((key) => key !== undefined).filter(({ origin, isBound }) => isBound || origin !== 'own');
    return oldestFirst(valid);
  }

  /**
   * The keys of assistants that are not this computer's, but may become it: those of earlier versions, and those of a
   * computer with the same folder. A file on this computer that contains such a key shows that they do.
   */
  async claimable(): Promise<readonly AccessKey[]> {
    const [machine, all] = [await this.#machine.machineId(), await this.#entries()];
    const keys = await Promise.all(
      all.map(async (entry) => {
        if (all.some(({ id, machine: owner }) => id === entry.id && owner === machine)) return undefined;
        const { machine: owner } = entry;
        const mayBe = owner === undefined || sharesFolder(owner, machine) || (await this.#fields(entry))['migrated'];
        return mayBe === true ? this.#read(entry) : undefined;
      }),
    );
    return oldestFirst(keys.filter((key) => key !== undefined).filter(({ origin }) => origin === 'assistant'));
  }

  /** Stores a new key of this computer. */
  async add(key: AccessKey): Promise<void> {
    await this.#storage.store(await this.#ownName('accessKey', key.id), JSON.stringify(key));
  }

  /** Makes a stored key this computer's. One of an earlier version ceases to be any other computer's. */
  async claim(id: string): Promise<void> {
    const own = await this.#ownName('accessKey', id);
    const entries = (await this.#entries()).filter((entry) => entry.id === id);
    const source = entries.find(({ machine }) => machine === undefined) ?? entries[0];
    if (source === undefined || entries.some((entry) => nameOf(entry) === own)) return;
    const fields = await this.#fields(source);
    const isLegacy = source.machine === undefined;
    const migrated = isLegacy || fields['migrated'] === true;
    await this.#storage.store(own, JSON.stringify({ ...fields, ...(migrated && { migrated }) }));
    if (!isLegacy) return;
    const lastUse = await this.#storage.get(nameOf({ ...source, kind: 'lastUse' }));
    if (lastUse !== undefined) await this.#storage.store(await this.#ownName('lastUse', id), lastUse);
    for (const kind of ['accessKey', 'lastUse'] as const) await this.#storage.delete(nameOf({ ...source, kind }));
  }

  async noteUse(id: string): Promise<void> {
    await this.claim(id); // a key of an earlier version belongs to the computer that uses it first
    await this.#storage.store(await this.#ownName('lastUse', id), String(Date.now()));
  }

  /** Revokes a key on this computer. */
  async revoke(id: string): Promise<void> {
    await this.#machine.revoke(id);
    for (const kind of ['accessKey', 'lastUse'] as const) {
      await this.#storage.delete(await this.#ownName(kind, id));
      await this.#storage.delete(nameOf({ kind, machine: undefined, id }));
    }
  }

  async #entries(): Promise<readonly EntryName[]> {
    const names = (await this.#storage.keys()).map(parseName);
    return names.filter((name) => name !== undefined).filter(({ kind }) => kind === 'accessKey');
  }

  async #read(entry: EntryName): Promise<AccessKey | undefined> {
    const [json, lastUse] = await Promise.all([
      this.#storage.get(nameOf(entry)),
      this.#storage.get(nameOf({ ...entry, kind: 'lastUse' })),
    ]);
    const key = parseAccessKey(json, lastUse);
    return key?.id === entry.id ? key : undefined;
  }

  async #fields(entry: EntryName): Promise<Readonly<Record<string, unknown>>> {
    return fieldsOf(parseJson((await this.#storage.get(nameOf(entry))) ?? ''));
  }

  async #ownName(kind: EntryName['kind'], id: string): Promise<string> {
    return nameOf({ kind, machine: await this.#machine.machineId(), id });
  }
}
