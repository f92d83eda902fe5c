// The only place that stores secrets: the editor's secret storage. Each access key has an entry of its own, so that two
// windows that change two keys do not overwrite each other, and belongs to one computer: other computers that share the
// storage, such as those of remote windows, do not accept it. A revoked key is also listed in the machine store, so that a
// window with stale storage cannot bring it back.
import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { FSWatcher } from 'node:fs';
import type { ProxySecrets } from '../shared/messages.ts';
import { Queue } from '../shared/queue.ts';
import { OWN_KEY_NAME, isSameName, makeAccessKey, visibleKeys } from './accessKeys.ts';
import type { AccessKey, KeyOrigin } from './accessKeys.ts';
import { ApiKeyStore } from './apiKeyStore.ts';
import { KeyRing } from './keyRing.ts';
import { RemovedError } from './machineStore.ts';
import type { MachineStore } from './machineStore.ts';
import { API_KEY, CACHE_ROOT, OWNERSHIP, nameOf, parseName } from './secretNames.ts';
import { CachedStorage } from './secretStorage.ts';
import type { Disposable, SecretStorage } from './secretStorage.ts';

const NOT_STORED = "The editor's secret storage does not keep values. Check the keychain of this computer.";
/** How often everything is deleted if other windows store something in the meantime. */
const REMOVALS = 3;

/** What a proxy process and the windows that use it need. */
export interface WindowSecrets extends Required<ProxySecrets> {
  /** The access key for the extension's own requests. */
  readonly ownKey: string;
  /** Base64 of 32 bytes. */
  readonly cacheNamespaceRoot: string;
}

/** Secret texts of one kind that are kept on this computer, each under an id of the caller. */
export interface SecretEntries {
  /** Undefined also after all data was removed. */
  get(id: string): Promise<string | undefined>;
  set(id: string, text: string): Promise<void>;
  delete(id: string): Promise<void>;
}

/** `removed`: all data was removed, in this window or in another one of this computer. */
export type SecretChange = 'apiKey' | 'others' | 'removed';

export class Secrets {
  readonly #storage: CachedStorage;
  readonly #machine: MachineStore;
  readonly #apiKey: ApiKeyStore;
  readonly #ring: KeyRing;
  readonly #changes = new EventEmitter<{ change: [SecretChange] }>();
  readonly #subscription: Disposable;
  #watcher: Pick<FSWatcher, 'close'> | undefined;
  #disposed = false;
  #isRemoved = false;
  /** The id of this computer, if this window has removed everything. */
  #removed: string | undefined;
  /** Runs changes one after the other. */
  readonly #queue = new Queue();

  constructor(storage: SecretStorage, machine: MachineStore) {
    this.#storage = new CachedStorage(storage);
    this.#machine = machine;
    this.#apiKey = new ApiKeyStore(this.#storage, machine);
    this.#ring = new KeyRing(this.#storage, machine);
    this.#subscription = this.#storage.onDidChange(({ key }) => {
      const { kind = 'accessKey' } = parseName(key) ?? {};
      if (this.#isRemoved || kind !== 'accessKey') return;
      this.#changes.emit('change', key === API_KEY ? 'apiKey' : 'others');
    });
  }

  /** Starts to report keys that other windows revoke. Any of them may be the API key. */
  async watch(): Promise<void> {
    const watcher = await this.#machine.watchRevoked(() => void this.#lookAtMachine());
    if (this.#disposed) watcher.close();
    else this.#watcher = watcher;
  }

  /** Calls back after a secret was changed, in this window or in another. */
  onDidChange(listener: (change: SecretChange) => void): Disposable {
    this.#changes.on('change', listener);
    return { dispose: () => this.#changes.off('change', listener) };
  }

  /** The API key, unless it was removed or replaced in any window. */
  async apiKey(): Promise<string | undefined> {
    if (this.#isRemoved) return undefined;
    return this.#apiKey.get();
  }

  /** Also ends the state after `removeAll`. */
  setApiKey(key: string): Promise<void> {
    this.reopen();
    return this.#queue.run(() => this.#apiKey.set(key));
  }

  removeApiKey(): Promise<void> {
    return this.#queue.run(() => this.#apiKey.remove());
  }

  /** All access keys that are valid on this computer, oldest first. */
  async accessKeys(): Promise<readonly AccessKey[]> {
    return this.#isRemoved ? [] : this.#ring.keys();
  }

  /** The valid key with this name and origin, or undefined. */
  async findAccessKey(name: string, origin: KeyOrigin): Promise<AccessKey | undefined> {
    return (await this.accessKeys()).find((key) => key.origin === origin && isSameName(key.name, name));
  }

  /**
   * The valid key with this name and origin, created if necessary.
   * @param draft the key to store then; a new one by default
   */
  accessKeyNamed(name: string, origin: KeyOrigin, draft?: AccessKey): Promise<AccessKey> {
    return this.#queue.run(async () => {
      if (this.#isRemoved) throw new RemovedError();
      const known = await this.findAccessKey(name, origin);
      if (known !== undefined) return known;
      await this.#ring.add(draft ?? makeAccessKey(name, origin, Date.now()));
      const stored = await this.findAccessKey(name, origin); // another window may have been faster
      if (stored === undefined) throw new Error(NOT_STORED);
      return stored;
    });
  }

  /** See `KeyRing.claimable`. */
  async claimableKeys(): Promise<readonly AccessKey[]> {
    return this.#isRemoved ? [] : this.#ring.claimable();
  }

  /** Makes a claimable key this computer's. */
  claimAccessKey(id: string): Promise<void> {
    return this.#queue.run(() => this.#ring.claim(id));
  }

  /** Records that the access key with this id was used just now, except for the extension's own key. */
  noteUse(id: string): Promise<void> {
    return this.#queue.run(async () => {
      if (visibleKeys(await this.accessKeys()).some((key) => key.id === id)) await this.#ring.noteUse(id);
    });
  }

  /** Revokes the access key in every window of this computer. */
  revokeAccessKey(id: string): Promise<void> {
    return this.#queue.run(() => this.#ring.revoke(id));
  }

  /** What another layer keeps on this computer. Its changes are not reported. */
  entries(kind: string): SecretEntries {
    const nameFor = async (id: string) => nameOf({ kind, machine: await this.#machine.machineId(), id });
    return {
      get: async (id) => (this.#isRemoved ? undefined : this.#storage.get(await nameFor(id))),
      set: async (id, text) => this.#storage.store(await nameFor(id), text),
      delete: async (id) => this.#storage.delete(await nameFor(id)),
    };
  }

  /**
   * All secrets that the proxy needs. Those that do not exist yet are generated.
   * @throws RemovedError after all data was removed
   */
  async forProxy(): Promise<WindowSecrets> {
    if (this.#isRemoved) throw new RemovedError();
    const own = (await this.findAccessKey(OWN_KEY_NAME, 'own')) ?? (await this.accessKeyNamed(OWN_KEY_NAME, 'own'));
    const [apiKey, keys, ownership, cacheNamespaceRoot, systemId] = await Promise.all([
      this.apiKey(),
      this.accessKeys(),
      this.#getOrGenerate(OWNERSHIP),
      this.#getOrGenerate(CACHE_ROOT),
      this.#machine.systemId(),
    ]);
    return {
      apiKey: apiKey ?? null,
      accessKeys: keys.map(({ key }) => key),
      ownKey: own.key,
      // Windows on several computers may share the storage. A proxy on another computer is foreign, even if its port is
      // forwarded to this one.
      ownership: createHmac('sha256', Buffer.from(ownership, 'base64')).update(systemId).digest('base64'),
      cacheNamespaceRoot,
    };
  }

  /**
   * Removes everything that is stored for this computer, and what all computers share. Other windows of this computer
   * notice it, and generate nothing until the user starts again.
   * @returns of how many other computers entries remain, and whether anything of this one remains
   */
  removeAll(): Promise<{ readonly otherComputers: number; readonly complete: boolean }> {
    return this.#queue.run(async () => {
      // Another window has removed everything already.
      if (this.#removed === undefined && (await this.#machine.isRemoved()))
        return { otherComputers: 0, complete: true };
      const machine = (this.#removed ??= await this.#machine.machineId());
      this.#isRemoved = true;
      const otherOf = (name: string) => {
        const owner = parseName(name)?.machine;
        return owner === machine ? undefined : owner;
      };
      for (let removal = 0; ; removal++) {
        await this.#machine.remove(); // first: the other windows watch the folder
        this.#storage.clear();
        const names = await this.#storage.keys();
        const own = names.filter((name) => otherOf(name) === undefined);
        if (own.length === 0 || removal === REMOVALS) {
          const others = names.map(otherOf).filter((owner) => owner !== undefined);
          this.#changes.emit('change', 'removed');
          return { otherComputers: new Set(others).size, complete: own.length === 0 };
        }
        for (const name of own) await this.#storage.delete(name);
      }
    });
  }

  /** After everything was removed: deletes what this window has written since, because it had not noticed it yet. */
  async sweep(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#isRemoved) await this.#machine.remove();
    });
  }

  /** Lets everything be stored again after `removeAll`. */
  reopen(): void {
    if (!this.#isRemoved) return;
    this.#isRemoved = false;
    this.#removed = undefined;
    this.#machine.reopen();
    this.#watcher?.close();
    void this.watch().catch(() => undefined);
  }

  dispose(): void {
    this.#disposed = true;
    this.#subscription.dispose();
    this.#watcher?.close();
    this.#changes.removeAllListeners();
  }

  /** After a change of the machine store. */
  async #lookAtMachine(): Promise<void> {
    if (this.#isRemoved || this.#disposed) return;
    this.#storage.clear();
    this.#isRemoved = await this.#machine.isRemoved();
    this.#changes.emit('change', this.#isRemoved ? 'removed' : 'apiKey');
  }

  /** Base64 of 32 random bytes. If two windows generate one at the same time, all use the one that is stored last. */
  async #getOrGenerate(name: string): Promise<string> {
    return (
      (await this.#storage.get(name)) ??
      this.#queue.run(async () => {
        if (this.#isRemoved) throw new RemovedError();
        const known = await this.#storage.get(name);
        if (known !== undefined) return known;
        await this.#storage.store(name, randomBytes(32).toString('base64'));
        const stored = await this.#storage.get(name);
        if (stored === undefined) throw new Error(NOT_STORED);
        return stored;
      })
    );
  }
}
