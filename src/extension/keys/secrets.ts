// The only place that keeps secrets: the editor's SecretStorage. One entry for each access key, so that two windows that
// change two keys do not undo each other's work; and a revoked key is named on the host's disk, where no stale window
// brings it back.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { SecretStorage } from 'vscode';
import {
  OWN_KEY_NAME,
  inOrder,
  isSameName,
  makeAccessKey,
  parseAccessKey,
  visibleKeys,
} from '../../keys/accessKeys.ts';
import type { AccessKey, KeyOrigin } from '../../keys/accessKeys.ts';
import type { HostFolder } from '../../keys/hostFolder.ts';
import type { SupervisorSecrets } from '../../supervisor/supervisorHost.ts';

const API_KEY = 'apiKey';
const ACCESS_KEY = 'accessKey.';
const LAST_USE = 'lastUse.';
const CACHE_ROOT = 'cacheNamespaceRoot';
const OWNERSHIP = 'ownership';
/** What a file of an assistant was before, keys and all. */
const UNDO = 'undo.';

export type SecretChange = 'apiKey' | 'others';

interface Disposable {
  dispose(): void;
}

export class Secrets {
  readonly #storage: SecretStorage;
  readonly #folder: HostFolder;
  readonly #changes = new EventEmitter<{ change: [SecretChange] }>();
  readonly #subscription: Disposable;
  #watcher: Disposable | undefined;
  #disposed = false;
  /** Changes of the access keys, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(storage: SecretStorage, folder: HostFolder) {
    this.#storage = storage;
    this.#folder = folder;
    this.#subscription = storage.onDidChange(({ key }) => {
      if (!key.startsWith(LAST_USE) && !key.startsWith(UNDO))
        this.#changes.emit('change', key === API_KEY ? 'apiKey' : 'others');
    });
  }

  /** Begins to hear of what other windows revoke. */
  async watch(): Promise<void> {
    const watcher = await this.#folder.watchRevoked(() => this.#changes.emit('change', 'apiKey'));
    if (this.#disposed) watcher.dispose();
    else this.#watcher = watcher;
  }

  /** A secret was changed, in this window or in another. */
  onDidChange(listener: (change: SecretChange) => void): Disposable {
    this.#changes.on('change', listener);
    return { dispose: () => this.#changes.off('change', listener) };
  }

  /** The one that counts. */
  async apiKey(): Promise<string | undefined> {
    const key = await this.#storage.get(API_KEY);
    if (key === undefined || (await this.#folder.revoked()).has(apiKeyId(key))) return undefined;
    return key;
  }

  setApiKey(key: string): Promise<void> {
    return this.#inTurn(async () => {
      const before = await this.#storage.get(API_KEY);
      if (before !== undefined && before !== key) await this.#folder.revoke(apiKeyId(before));
      await this.#folder.restore(apiKeyId(key));
      await this.#storage.store(API_KEY, key);
    });
  }

  removeApiKey(): Promise<void> {
    return this.#inTurn(async () => {
      const before = await this.#storage.get(API_KEY);
      if (before !== undefined) await this.#folder.revoke(apiKeyId(before));
      await this.#storage.delete(API_KEY);
    });
  }

  /** All that count, the oldest first. */
  async accessKeys(): Promise<readonly AccessKey[]> {
    const [names, revoked] = await Promise.all([this.#storage.keys(), this.#folder.revoked()]);
    const ids = names.filter((name) => name.startsWith(ACCESS_KEY)).map((name) => name.slice(ACCESS_KEY.length));
    const keys = await Promise.all(ids.map((id) => this.#accessKey(id)));
    return inOrder(keys.filter((key) => key !== undefined).filter(({ id }) => !revoked.has(id)));
  }

  /** The key of this name that was made for such a one, if there is one. */
  async findAccessKey(name: string, origin: KeyOrigin): Promise<AccessKey | undefined> {
    return (await this.accessKeys()).find((key) => key.origin === origin && isSameName(key.name, name));
  }

  /** The same, made if there is none. */
  accessKeyNamed(name: string, origin: KeyOrigin): Promise<AccessKey> {
    return this.#inTurn(async () => {
      const known = await this.findAccessKey(name, origin);
      if (known !== undefined) return known;
      const fresh = makeAccessKey(name, origin, Date.now());
      await this.#storage.store(ACCESS_KEY + fresh.id, JSON.stringify(fresh));
      const stored = await this.findAccessKey(name, origin); // another window may have been faster
      if (stored === undefined) throw new Error('The access key could not be stored');
      return stored;
    });
  }

  /** The access key of this id was used just now. That the extension itself asks is not noted. */
  noteUse(id: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!visibleKeys(await this.accessKeys()).some((key) => key.id === id)) return;
      await this.#storage.store(LAST_USE + id, String(Date.now()));
    });
  }

  /** The key is refused from now on, in every window. */
  revokeAccessKey(id: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#folder.revoke(id);
      await this.#storage.delete(ACCESS_KEY + id);
      await this.#storage.delete(LAST_USE + id);
    });
  }

  /** What takes a change back, as text, or undefined. */
  async undoOf(id: string): Promise<string | undefined> {
    return this.#storage.get(UNDO + id);
  }

  async keepUndo(id: string, text: string): Promise<void> {
    await this.#storage.store(UNDO + id, text);
  }

  async forgetUndo(id: string): Promise<void> {
    await this.#storage.delete(UNDO + id);
  }

  /** Everything that the proxy needs. What does not exist yet is drawn, once. */
  async forProxy(): Promise<SupervisorSecrets> {
    const own = await this.accessKeyNamed(OWN_KEY_NAME, 'own');
    const [apiKey, keys, ownership, cacheNamespaceRoot, machineId] = await Promise.all([
      this.apiKey(),
      this.accessKeys(),
      this.#drawnOnce(OWNERSHIP),
      this.#drawnOnce(CACHE_ROOT),
      this.#folder.machineId(),
    ]);
    return {
      apiKey: apiKey ?? null,
      accessKeys: keys.map(({ key }) => key),
      ownKey: own.key,
      // The same storage may serve windows on several computers: a proxy of another one is not ours, even if its port is
      // forwarded to here.
      ownership: createHmac('sha256', Buffer.from(ownership, 'base64')).update(machineId).digest('base64'),
      cacheNamespaceRoot,
    };
  }

  dispose(): void {
    this.#disposed = true;
    this.#subscription.dispose();
    this.#watcher?.dispose();
    this.#changes.removeAllListeners();
  }

  async #accessKey(id: string): Promise<AccessKey | undefined> {
    return parseAccessKey(await this.#storage.get(ACCESS_KEY + id), await this.#storage.get(LAST_USE + id));
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(act);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  /** Base64 of 32 random bytes. Another window may draw at the same time: what is stored last is everybody's. */
  #drawnOnce(name: string): Promise<string> {
    return this.#inTurn(async () => {
      const known = await this.#storage.get(name);
      if (known !== undefined) return known;
      await this.#storage.store(name, randomBytes(32).toString('base64'));
      const stored = await this.#storage.get(name);
      if (stored === undefined) throw new Error('The secret storage keeps nothing');
      return stored;
    });
  }
}

/** Names a key on the host's disk, and tells nothing of it. */
function apiKeyId(key: string): string {
  return createHash('sha256').update('sealed-proxy/api-key\0').update(key).digest('hex').slice(0, 16);
}
