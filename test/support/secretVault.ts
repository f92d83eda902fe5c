// The editor's secret storage, in memory.
import { EventEmitter } from 'node:events';
import type { SecretEntries } from '../../src/keys/secrets.ts';
import type { SecretStorage } from '../../src/keys/secretStorage.ts';
import { flushEventLoop } from './withTimeout.ts';

/** The secrets that all windows share. Every window is notified of every change. */
export class Vault {
  readonly values = new Map<string, string>();
  readonly changes = new EventEmitter<{ change: [{ key: string }] }>();

  /** Changes an entry, as another program does. */
  set(name: string, value: string): void {
    this.values.set(name, value);
    this.changes.emit('change', { key: name });
  }

  storage(): Storage {
    return new Storage(this);
  }

  staleStorage(): StaleStorage {
    return new StaleStorage(this);
  }
}

/** The storage as one window sees it. */
class Storage implements SecretStorage {
  protected readonly vault: Vault;
  /** Resolves before a value is stored. */
  beforeStore: (name: string) => Promise<unknown> = () => Promise.resolve();
  listeners = 0;
  /** How often something was read. */
  reads = 0;

  constructor(vault: Vault) {
    this.vault = vault;
  }

  get values(): Map<string, string> {
    return this.vault.values;
  }

  readonly onDidChange = (listener: (event: { readonly key: string }) => void) => {
    this.vault.changes.on('change', listener);
    this.listeners++;
    return {
      dispose: () => {
        this.vault.changes.off('change', listener);
        this.listeners--;
      },
    };
  };

  async keys(): Promise<string[]> {
    this.reads++;
    await flushEventLoop();
    return [...this.values.keys()];
  }

  async get(name: string): Promise<string | undefined> {
    this.reads++;
    await flushEventLoop();
    return this.values.get(name);
  }

  async store(name: string, value: string): Promise<void> {
    await this.beforeStore(name);
    await flushEventLoop();
    this.values.set(name, value);
    this.changed(name);
  }

  async delete(name: string): Promise<void> {
    await flushEventLoop();
    if (this.values.delete(name)) this.changed(name);
  }

  protected changed(name: string): void {
    this.vault.changes.emit('change', { key: name });
  }
}

/** The storage in a browser tab: it reads everything once, and each change writes back all that it knows. */
class StaleStorage extends Storage {
  readonly #copy: Map<string, string>;

  constructor(vault: Vault) {
    super(vault);
    this.#copy = new Map(vault.values);
  }

  override get values(): Map<string, string> {
    return this.#copy;
  }

  protected override changed(name: string): void {
    for (const [known, value] of this.#copy) this.vault.values.set(known, value);
    super.changed(name);
  }
}

/** Entries as `Secrets.entries` has them, in memory. */
export function entriesIn(stored: Map<string, string>): SecretEntries {
  return {
    get: (id) => Promise.resolve(stored.get(id)),
    set: async (id, text) => {
      await Promise.resolve(stored.set(id, text));
    },
    delete: async (id) => {
      await Promise.resolve(stored.delete(id));
    },
  };
}
