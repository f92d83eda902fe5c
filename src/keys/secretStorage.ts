// The editor's secret storage, and a memory of what was read from it: each call crosses two processes and the keychain.

export interface Disposable {
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

/** Reads each entry once, until it changes. Revoked keys are not its concern: those are on the disk, see machineStore.ts. */
export class CachedStorage implements SecretStorage {
  readonly #storage: SecretStorage;
  readonly #values = new Map<string, Promise<string | undefined>>();
  #names: Promise<string[]> | undefined;

  constructor(storage: SecretStorage) {
    this.#storage = storage;
  }

  keys(): Promise<string[]> {
    if (this.#names !== undefined) return this.#names;
    const reading = Promise.resolve(this.#storage.keys());
    this.#names = reading;
    reading.catch(() => {
      if (this.#names === reading) this.#names = undefined;
    });
    return reading;
  }

  get(name: string): Promise<string | undefined> {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const reading = Promise.resolve(this.#storage.get(name));
    this.#values.set(name, reading);
    reading.catch(() => {
      if (this.#values.get(name) === reading) this.#values.delete(name);
    });
    return reading;
  }

  async store(name: string, value: string): Promise<void> {
    await this.#change(name, this.#storage.store(name, value));
  }

  async delete(name: string): Promise<void> {
    await this.#change(name, this.#storage.delete(name));
  }

  /** Forgets an entry before the listener hears that it has changed. */
  onDidChange(listener: (event: { readonly key: string }) => void): Disposable {
    return this.#storage.onDidChange((event) => {
      this.#forget(event.key);
      listener(event);
    });
  }

  /** Reads everything again. */
  clear(): void {
    this.#values.clear();
    this.#names = undefined;
  }

  /** What was read while the change was made may be old. */
  async #change(name: string, change: PromiseLike<void>): Promise<void> {
    try {
      await change;
    } finally {
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#values.delete(name);
    this.#names = undefined;
  }
}
