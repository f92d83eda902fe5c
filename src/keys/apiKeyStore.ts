// The stored API key, with a random generation. Removing or replacing the key revokes its generation on this computer, not
// its value, which the user may set again on another computer that shares the secret storage.
import { randomBytes } from 'node:crypto';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { MachineStore } from './machineStore.ts';
import { API_KEY } from './secretNames.ts';
import type { CachedStorage } from './secretStorage.ts';

interface ApiKeyEntry {
  readonly key: string;
  /** 16 hex digits. */
  readonly generation: string;
}

const GENERATION = /^[0-9a-f]{16}$/;

export class ApiKeyStore {
  readonly #storage: CachedStorage;
  readonly #machine: MachineStore;

  constructor(storage: CachedStorage, machine: MachineStore) {
    this.#storage = storage;
    this.#machine = machine;
  }

  /** The API key, unless it was removed or replaced in any window of this computer. */
  async get(): Promise<string | undefined> {
    const entry = await this.#entry();
    return entry === undefined || (await this.#machine.revokedIds()).has(entry.generation) ? undefined : entry.key;
  }

  async set(key: string): Promise<void> {
    const previous = await this.#entry();
    const entry: ApiKeyEntry = { key, generation: randomBytes(8).toString('hex') };
    await this.#storage.store(API_KEY, JSON.stringify(entry)); // first: if that fails, the previous key stays
    await this.#revoke(previous);
  }

  async remove(): Promise<void> {
    await this.#revoke(await this.#entry());
    await this.#storage.delete(API_KEY);
  }

  async #entry(): Promise<ApiKeyEntry | undefined> {
    return parse((await this.#storage.get(API_KEY)) ?? '');
  }

  async #revoke(entry: ApiKeyEntry | undefined): Promise<void> {
    if (entry !== undefined) await this.#machine.revoke(entry.generation);
  }
}

/** Undefined if the text is empty or damaged. */
function parse(json: string): ApiKeyEntry | undefined {
  const { key, generation } = fieldsOf(parseJson(json));
  if (typeof key !== 'string' || typeof generation !== 'string' || !GENERATION.test(generation)) return undefined;
  return { key, generation };
}
