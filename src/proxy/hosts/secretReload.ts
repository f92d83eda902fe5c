// Loads the secrets again while the proxy runs: on SIGHUP, and when one of their files changes.
import type { Values } from '../../settings/environment.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { SecretName } from '../../settings/schema.ts';
import { Queue } from '../../shared/queue.ts';
import type { Log } from '../process/log.ts';
import { readSecrets } from './config.ts';
import { readSecretFiles } from './secretFiles.ts';
import type { Service } from './service.ts';
import { countKeys, warnIfAllExpired } from './startNotes.ts';

export class SecretReload {
  readonly #service: Pick<Service, 'setKeys'>;
  readonly #environment: Values;
  readonly #paths: ReadonlyMap<SecretName, string>;
  readonly #log: Log;
  readonly #queue = new Queue();

  constructor(
    service: Pick<Service, 'setKeys'>,
    environment: Values,
    paths: ReadonlyMap<SecretName, string>,
    log: Log,
  ) {
    this.#service = service;
    this.#environment = environment;
    this.#paths = paths;
    this.#log = log;
  }

  /** One after the other, so that the latest content counts. Resolves when the secrets are loaded, or were not. */
  load(cause: 'SIGHUP' | 'file'): Promise<void> {
    return this.#queue.run(() => this.#load(cause));
  }

  async #load(cause: string): Promise<void> {
    if (this.#paths.size === 0) {
      this.#log.info('keys_not_reloaded', { cause, reason: 'no secret is in a file, so there is nothing to load' });
      return;
    }
    try {
      const { cacheNamespaceRoot, ...keys } = readSecrets(this.#environment, await readSecretFiles(this.#paths));
      this.#service.setKeys({
        ...keys,
        ...(cacheNamespaceRoot === null ? {} : { cacheNamespaceRoot }),
        ownership: null,
      });
      const counts = countKeys(keys, Date.now());
      this.#log.info('keys_reloaded', { cause, ...counts });
      warnIfAllExpired(counts, this.#log);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#log.warn('keys_not_reloaded', { cause, reason: error.message, note: 'The previous keys stay in use.' });
    }
  }
}
