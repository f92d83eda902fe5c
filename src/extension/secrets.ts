// The only place that keeps secrets: the editor's SecretStorage, shared by all windows.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { OWN_KEY_NAME, makeAccessKey, parseAccessKeys } from './accessKeys.ts';
import type { AccessKey } from './accessKeys.ts';
import type { SupervisorSecrets } from './supervisor.ts';

const API_KEY = 'apiKey';
const ACCESS_KEYS = 'accessKeys';
const CACHE_ROOT = 'cacheNamespaceRoot';
const OWNERSHIP = 'ownership';

export type SecretChange = 'apiKey' | 'others';

export class Secrets implements vscode.Disposable {
  readonly #storage: vscode.SecretStorage;
  readonly #changed = new vscode.EventEmitter<SecretChange>();
  readonly #subscription: vscode.Disposable;
  /** Changes of the list of access keys, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
    this.#subscription = storage.onDidChange(({ key }) => {
      this.#changed.fire(key === API_KEY ? 'apiKey' : 'others');
    });
  }

  /** A secret was changed, in this window or in another. */
  get onDidChange(): vscode.Event<SecretChange> {
    return this.#changed.event;
  }

  async apiKey(): Promise<string | undefined> {
    return this.#storage.get(API_KEY);
  }

  async setApiKey(key: string): Promise<void> {
    await this.#storage.store(API_KEY, key);
  }

  async removeApiKey(): Promise<void> {
    await this.#storage.delete(API_KEY);
  }

  async accessKeys(): Promise<readonly AccessKey[]> {
    return parseAccessKeys(await this.#storage.get(ACCESS_KEYS));
  }

  /** Reads, changes and writes the list of access keys; `change` returning the same list writes nothing. */
  changeAccessKeys(change: (keys: readonly AccessKey[]) => readonly AccessKey[]): Promise<readonly AccessKey[]> {
    const next = this.#queue.then(async () => {
      const before = await this.accessKeys();
      const after = change(before);
      if (after !== before) await this.#storage.store(ACCESS_KEYS, JSON.stringify(after));
      return after;
    });
    this.#queue = next.catch(() => undefined);
    return next;
  }

  /** The key with this name, made if there is none. */
  async accessKeyNamed(name: string): Promise<AccessKey> {
    const keys = await this.changeAccessKeys((before) =>
      before.some((key) => key.name === name) ? before : [...before, makeAccessKey(name, Date.now())],
    );
    const key = keys.find((known) => known.name === name);
    if (key === undefined) throw new Error('The access key could not be stored');
    return key;
  }

  /** Everything that the proxy needs. What does not exist yet is drawn, once. */
  async forProxy(): Promise<SupervisorSecrets> {
    const own = await this.accessKeyNamed(OWN_KEY_NAME);
    const [apiKey, keys, ownership, cacheNamespaceRoot] = await Promise.all([
      this.apiKey(),
      this.accessKeys(),
      this.#drawnOnce(OWNERSHIP),
      this.#drawnOnce(CACHE_ROOT),
    ]);
    const accessKeys = keys.map(({ key }) => key);
    return { apiKey: apiKey ?? null, accessKeys, ownKey: own.key, ownership, cacheNamespaceRoot };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** Base64 of 32 random bytes. Another window may draw at the same time: what is stored last is everybody's. */
  async #drawnOnce(name: string): Promise<string> {
    const known = await this.#storage.get(name);
    if (known !== undefined) return known;
    await this.#storage.store(name, randomBytes(32).toString('base64'));
    return (await this.#storage.get(name)) ?? this.#drawnOnce(name);
  }
}
