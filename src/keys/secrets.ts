// The only place that stores secrets: the editor's secret storage. Each access key has an entry of its own, so that two
// windows that change two keys do not overwrite each other. A revoked key is also listed in the machine store, so that a
// window with stale storage cannot bring it back.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { FSWatcher } from 'node:fs';
import type { ProxySecrets } from '../shared/messages.ts';
import { OWN_KEY_NAME, isSameName, makeAccessKey, oldestFirst, parseAccessKey, visibleKeys } from './accessKeys.ts';
import type { AccessKey, KeyOrigin } from './accessKeys.ts';
import type { MachineStore } from './machineStore.ts';

const API_KEY = 'apiKey';
const ACCESS_KEY = 'accessKey.';
const LAST_USE = 'lastUse.';
const CACHE_ROOT = 'cacheNamespaceRoot';
const OWNERSHIP = 'ownership';
/** How to undo a change of an assistant's file. A secret because the original file may contain keys. */
const UNDO = 'undo.';
const NOT_STORED = "The editor's secret storage does not keep values. Check the keychain of this computer.";

interface Disposable {
  dispose(): void;
}

/** The part of the editor's `SecretStorage` that is used here: encrypted text by name, shared by all windows. */
export interface SecretStorage {
  keys(): PromiseLike<string[]>;
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  /** Reports changes of all windows. */
  onDidChange(listener: (event: { readonly key: string }) => void): Disposable;
}

/** What a proxy process and the windows that use it need. */
export interface WindowSecrets extends Required<ProxySecrets> {
  /** The access key for the extension's own requests. */
  readonly ownKey: string;
  /** Base64 of 32 bytes. */
  readonly cacheNamespaceRoot: string;
}

export type SecretChange = 'apiKey' | 'others';

export class Secrets {
  readonly #storage: SecretStorage;
  readonly #machine: MachineStore;
  readonly #changes = new EventEmitter<{ change: [SecretChange] }>();
  readonly #subscription: Disposable;
  #watcher: Pick<FSWatcher, 'close'> | undefined;
  #disposed = false;
  /** Runs changes one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(storage: SecretStorage, machine: MachineStore) {
    this.#storage = storage;
    this.#machine = machine;
    this.#subscription = storage.onDidChange(({ key }) => {
      if (!key.startsWith(LAST_USE) && !key.startsWith(UNDO))
        this.#changes.emit('change', key === API_KEY ? 'apiKey' : 'others');
    });
  }

  /** Starts to report keys that other windows revoke. Any of them may be the API key. */
  async watch(): Promise<void> {
    const watcher = await this.#machine.watchRevoked(() => this.#changes.emit('change', 'apiKey'));
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
    const key = await this.#storage.get(API_KEY);
    if (key === undefined || (await this.#machine.revokedIds()).has(apiKeyId(key))) return undefined;
    return key;
  }

  setApiKey(key: string): Promise<void> {
    return this.#enqueue(async () => {
      const previous = await this.#storage.get(API_KEY);
      if (previous !== undefined && previous !== key) await this.#machine.revoke(apiKeyId(previous));
      await this.#machine.restore(apiKeyId(key));
      await this.#storage.store(API_KEY, key);
    });
  }

  removeApiKey(): Promise<void> {
    return this.#enqueue(async () => {
      const previous = await this.#storage.get(API_KEY);
      if (previous !== undefined) await this.#machine.revoke(apiKeyId(previous));
      await this.#storage.delete(API_KEY);
    });
  }

  /** All valid access keys, oldest first. */
  async accessKeys(): Promise<readonly AccessKey[]> {
    const [names, revoked] = await Promise.all([this.#storage.keys(), this.#machine.revokedIds()]);
    const ids = names.filter((name) => name.startsWith(ACCESS_KEY)).map((name) => name.slice(ACCESS_KEY.length));
    const keys = await Promise.all(
      ids.map(async (id) =>
        parseAccessKey(await this.#storage.get(ACCESS_KEY + id), await this.#storage.get(LAST_USE + id)),
      ),
    );
    return oldestFirst(keys.filter((key) => key !== undefined).filter(({ id }) => !revoked.has(id)));
  }

  /** The valid key with this name and origin, or undefined. */
  async findAccessKey(name: string, origin: KeyOrigin): Promise<AccessKey | undefined> {
    return (await this.accessKeys()).find((key) => key.origin === origin && isSameName(key.name, name));
  }

  /** The valid key with this name and origin, created if necessary. */
  accessKeyNamed(name: string, origin: KeyOrigin): Promise<AccessKey> {
    return this.#enqueue(async () => {
      const known = await this.findAccessKey(name, origin);
      if (known !== undefined) return known;
      const fresh = makeAccessKey(name, origin, Date.now());
      await this.#storage.store(ACCESS_KEY + fresh.id, JSON.stringify(fresh));
      const stored = await this.findAccessKey(name, origin); // another window may have been faster
      if (stored === undefined) throw new Error(NOT_STORED);
      return stored;
    });
  }

  /** Records that the access key with this id was used just now, except for the extension's own key. */
  noteUse(id: string): Promise<void> {
    return this.#enqueue(async () => {
      if (!visibleKeys(await this.accessKeys()).some((key) => key.id === id)) return;
      await this.#storage.store(LAST_USE + id, String(Date.now()));
    });
  }

  /** Revokes the access key in every window. */
  revokeAccessKey(id: string): Promise<void> {
    return this.#enqueue(async () => {
      await this.#machine.revoke(id);
      await this.#storage.delete(ACCESS_KEY + id);
      await this.#storage.delete(LAST_USE + id);
    });
  }

  /** The text that was kept for undoing a change, or undefined. `id` is the caller's. */
  async undoOf(id: string): Promise<string | undefined> {
    return this.#storage.get(UNDO + id);
  }

  async keepUndo(id: string, text: string): Promise<void> {
    await this.#storage.store(UNDO + id, text);
  }

  async forgetUndo(id: string): Promise<void> {
    await this.#storage.delete(UNDO + id);
  }

  /** All secrets that the proxy needs. Those that do not exist yet are generated. */
  async forProxy(): Promise<WindowSecrets> {
    const own = await this.accessKeyNamed(OWN_KEY_NAME, 'own');
    const [apiKey, keys, ownership, cacheNamespaceRoot, machineId] = await Promise.all([
      this.apiKey(),
      this.accessKeys(),
      this.#getOrGenerate(OWNERSHIP),
      this.#getOrGenerate(CACHE_ROOT),
      this.#machine.machineId(),
    ]);
    return {
      apiKey: apiKey ?? null,
      accessKeys: keys.map(({ key }) => key),
      ownKey: own.key,
      // Windows on several computers may share the storage. A proxy on another computer is foreign, even if its port is
      // forwarded to this one.
      ownership: createHmac('sha256', Buffer.from(ownership, 'base64')).update(machineId).digest('base64'),
      cacheNamespaceRoot,
    };
  }

  dispose(): void {
    this.#disposed = true;
    this.#subscription.dispose();
    this.#watcher?.close();
    this.#changes.removeAllListeners();
  }

  #enqueue<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(change);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Base64 of 32 random bytes. If two windows generate one at the same time, all use the one that is stored last. */
  #getOrGenerate(name: string): Promise<string> {
    return this.#enqueue(async () => {
      const known = await this.#storage.get(name);
      if (known !== undefined) return known;
      await this.#storage.store(name, randomBytes(32).toString('base64'));
      const stored = await this.#storage.get(name);
      if (stored === undefined) throw new Error(NOT_STORED);
      return stored;
    });
  }
}

/** Names an API key in the machine store without revealing it. */
function apiKeyId(key: string): string {
  return createHash('sha256').update('sealed-proxy/api-key\0').update(key).digest('hex').slice(0, 16);
}
