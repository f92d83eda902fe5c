// The only place that stores secrets: the editor's secret storage. Each access key has an entry of its own, so that two
// windows that change two keys do not overwrite each other, and belongs to one computer: other computers that share the
// storage, such as those of remote windows, do not accept it. A revoked key is also listed in the machine store, so that a
// window with stale storage cannot bring it back.
import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { FSWatcher } from 'node:fs';
import type { ProxySecrets } from '../shared/messages.ts';
import { OWN_KEY_NAME, isSameName, makeAccessKey, visibleKeys } from './accessKeys.ts';
import type { AccessKey, KeyOrigin } from './accessKeys.ts';
import { ApiKeyStore } from './apiKeyStore.ts';
import { KeyRing } from './keyRing.ts';
import type { StoredKey } from './keyRing.ts';
import { RemovedError } from './machineStore.ts';
import type { MachineStore } from './machineStore.ts';
import { API_KEY, CACHE_ROOT, LEGACY_API_KEY, OWNERSHIP, nameOf, parseName } from './secretNames.ts';
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
  /** `ownership` as versions up to 0.4 derive it; absent if that is the same. */
  readonly formerOwnership?: string;
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
  #queue: Promise<unknown> = Promise.resolve();

  constructor(storage: SecretStorage, machine: MachineStore) {
    this.#storage = new CachedStorage(storage);
    this.#machine = machine;
    this.#apiKey = new ApiKeyStore(this.#storage, machine);
    this.#ring = new KeyRing(this.#storage, machine);
    this.#subscription = this.#storage.onDidChange(({ key }) => {
      const kind = parseName(key)?.kind;
      if (this.#isRemoved || kind === 'lastUse' || kind === 'undo') return;
      this.#changes.emit('change', key === API_KEY || key === LEGACY_API_KEY ? 'apiKey' : 'others');
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
    return this.#enqueue(() => this.#apiKey.set(key));
  }

  removeApiKey(): Promise<void> {
    return this.#enqueue(() => this.#apiKey.remove());
  }

  /** All access keys that are valid on this computer, oldest first. */
  async accessKeys(): Promise<readonly StoredKey[]> {
    return this.#isRemoved ? [] : this.#ring.keys();
  }

  /**
   * The valid key with this name and origin, or undefined. An assistant's key of an earlier version is found after
   * `claimAccessKey`: until then, it may be the key of an assistant on another computer.
   */
  async findAccessKey(name: string, origin: KeyOrigin): Promise<StoredKey | undefined> {
    return (await this.accessKeys()).find(
      (key) => key.origin === origin && isSameName(key.name, name) && (key.isBound || origin !== 'assistant'),
    );
  }

  /** The valid key with this name and origin, created if necessary. */
  accessKeyNamed(name: string, origin: KeyOrigin): Promise<StoredKey> {
    return this.#enqueue(async () => {
      if (this.#isRemoved) throw new RemovedError();
      const known = await this.findAccessKey(name, origin);
      if (known?.isBound === true) return known;
      if (known === undefined) await this.#ring.add(makeAccessKey(name, origin, Date.now()));
      else await this.#ring.claim(known.id);
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
    return this.#enqueue(() => this.#ring.claim(id));
  }

  /** Records that the access key with this id was used just now, except for the extension's own key. */
  noteUse(id: string): Promise<void> {
    return this.#enqueue(async () => {
      if (visibleKeys(await this.accessKeys()).some((key) => key.id === id)) await this.#ring.noteUse(id);
    });
  }

  /** Revokes the access key in every window of this computer. */
  revokeAccessKey(id: string): Promise<void> {
    return this.#enqueue(() => this.#ring.revoke(id));
  }

  /** The text that was kept on this computer for undoing a change, or undefined. `id` is the caller's. */
  async undoOf(id: string): Promise<string | undefined> {
    return this.#isRemoved ? undefined : this.#storage.get(await this.#undoName(id));
  }

  /** The same, kept by an earlier version, on this computer or on another one. */
  async legacyUndoOf(id: string): Promise<string | undefined> {
    return this.#isRemoved ? undefined : this.#storage.get(nameOf({ kind: 'undo', machine: undefined, id }));
  }

  async keepUndo(id: string, text: string): Promise<void> {
    await this.#storage.store(await this.#undoName(id), text);
  }

  async forgetUndo(id: string): Promise<void> {
    await this.#storage.delete(await this.#undoName(id));
  }

  async forgetLegacyUndo(id: string): Promise<void> {
    await this.#storage.delete(nameOf({ kind: 'undo', machine: undefined, id }));
  }

  /**
   * All secrets that the proxy needs. Those that do not exist yet are generated.
   * @throws RemovedError after all data was removed
   */
  async forProxy(): Promise<WindowSecrets> {
    if (this.#isRemoved) throw new RemovedError();
    const own = (await this.findAccessKey(OWN_KEY_NAME, 'own')) ?? (await this.accessKeyNamed(OWN_KEY_NAME, 'own'));
    const [apiKey, keys, ownership, cacheNamespaceRoot, systemId, formerSystemId] = await Promise.all([
      this.apiKey(),
      this.accessKeys(),
      this.#getOrGenerate(OWNERSHIP),
      this.#getOrGenerate(CACHE_ROOT),
      this.#machine.systemId(),
      this.#machine.formerSystemId(),
    ]);
    const derive = (id: Uint8Array) =>
      createHmac('sha256', Buffer.from(ownership, 'base64')).update(id).digest('base64');
    return {
      apiKey: apiKey ?? null,
      accessKeys: keys.map(({ key }) => key),
      ownKey: own.key,
      // Windows on several computers may share the storage. A proxy on another computer is foreign, even if its port is
      // forwarded to this one.
      ownership: derive(systemId),
      cacheNamespaceRoot,
      ...(formerSystemId && { formerOwnership: derive(formerSystemId) }),
    };
  }

  /**
   * Removes everything that is stored for this computer, and what all computers share. Other windows of this computer
   * notice it, and generate nothing until the user starts again.
   * @returns of how many other computers entries remain, and whether anything of this one remains
   */
  removeAll(): Promise<{ readonly otherComputers: number; readonly complete: boolean }> {
    return this.#enqueue(async () => {
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

  async #undoName(id: string): Promise<string> {
    return nameOf({ kind: 'undo', machine: await this.#machine.machineId(), id });
  }

  #enqueue<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(change);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Base64 of 32 random bytes. If two windows generate one at the same time, all use the one that is stored last. */
  async #getOrGenerate(name: string): Promise<string> {
    return (
      (await this.#storage.get(name)) ??
      this.#enqueue(async () => {
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
