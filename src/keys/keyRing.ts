// The stored access keys. Each one belongs to one computer: other computers that share the secret storage, such as those of
// remote windows, do not accept it.
import { oldestFirst, parseAccessKey } from './accessKeys.ts';
import type { AccessKey } from './accessKeys.ts';
import type { MachineStore } from './machineStore.ts';
import { nameOf, parseName, sharesFolder } from './secretNames.ts';
import type { EntryName } from './secretNames.ts';
import type { CachedStorage } from './secretStorage.ts';

export class KeyRing {
  readonly #storage: CachedStorage;
  readonly #machine: MachineStore;

  constructor(storage: CachedStorage, machine: MachineStore) {
    this.#storage = storage;
    this.#machine = machine;
  }

  /** All keys that are valid on this computer, oldest first. */
  async keys(): Promise<readonly AccessKey[]> {
    const [machine, all, revoked] = await Promise.all([
      this.#machine.machineId(),
      this.#entries(),
      this.#machine.revokedIds(),
    ]);
    return this.#readAll(all.filter((entry) => entry.machine === machine && !revoked.has(entry.id)));
  }

  /**
   * The keys of assistants that a computer with the same folder has made, and that are not this computer's. A file on this
   * computer that contains such a key shows that they should be.
   */
  async claimable(): Promise<readonly AccessKey[]> {
    const [machine, all] = [await this.#machine.machineId(), await this.#entries()];
    const own = new Set(all.filter((entry) => entry.machine === machine).map(({ id }) => id));
    const others = all.filter((entry) => !own.has(entry.id) && sharesFolder(entry.machine, machine));
    return (await this.#readAll(others)).filter(({ origin }) => origin === 'assistant');
  }

  /** Stores a new key of this computer. */
  async add(key: AccessKey): Promise<void> {
    await this.#storage.store(await this.#ownName('accessKey', key.id), JSON.stringify(key));
  }

  /** Makes a stored key this computer's as well. */
  async claim(id: string): Promise<void> {
    const key = (await this.claimable()).find((known) => known.id === id);
    if (key !== undefined) await this.add(key);
  }

  async noteUse(id: string): Promise<void> {
    const now = String(Date.now());
    const last = await this.#ownName('lastUse', id);
    if ((await this.#storage.get(last)) === undefined)
      await this.#storage.store(await this.#ownName('firstUse', id), now);
    await this.#storage.store(last, now);
  }

  /** Revokes a key on this computer. */
  async revoke(id: string): Promise<void> {
    await this.#machine.revoke(id);
    for (const kind of ['accessKey', 'firstUse', 'lastUse']) await this.#storage.delete(await this.#ownName(kind, id));
  }

  async #entries(): Promise<readonly EntryName[]> {
    const names = (await this.#storage.keys()).map(parseName);
    return names.filter((name) => name !== undefined).filter(({ kind }) => kind === 'accessKey');
  }

  /** Without those that are damaged, or were removed meanwhile; oldest first. */
  async #readAll(entries: readonly EntryName[]): Promise<readonly AccessKey[]> {
    const keys = await Promise.all(entries.map((entry) => this.#read(entry)));
    return oldestFirst(keys.filter((key) => key !== undefined));
  }

  async #read(entry: EntryName): Promise<AccessKey | undefined> {
    const [json, first, last] = await Promise.all([
      this.#storage.get(nameOf(entry)),
      this.#storage.get(nameOf({ ...entry, kind: 'firstUse' })),
      this.#storage.get(nameOf({ ...entry, kind: 'lastUse' })),
    ]);
    const key = parseAccessKey(json, { first, last });
    return key?.id === entry.id ? key : undefined;
  }

  async #ownName(kind: string, id: string): Promise<string> {
    return nameOf({ kind, machine: await this.#machine.machineId(), id });
  }
}
