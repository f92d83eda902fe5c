// Asks the backend whether it accepts the proxy's API key, before a client needs it.
import { ModelListFailure } from '../dialects/modelLists.ts';
import type { Log } from '../process/log.ts';

const NOTE =
  'The backend refuses the API key of the proxy, so clients with an access key get errors. Set another API key; if it is in a file, the proxy loads it again.';

export class ApiKeyCheck {
  readonly #loadModels: (apiKey: string) => Promise<unknown>;
  readonly #log: Log;
  /** The key about which the backend was asked last. */
  #checked: string | null = null;

  /** @param loadModels rejects with a ModelListFailure if the backend does not send them */
  constructor(loadModels: (apiKey: string) => Promise<unknown>, log: Log) {
    this.#loadModels = loadModels;
    this.#log = log;
  }

  /** Warns if the backend refuses this key. Each key is checked once; after another failure, the next call tries again. */
  async run(apiKey: string | null): Promise<void> {
    if (apiKey === null || apiKey === this.#checked) return;
    this.#checked = apiKey;
    try {
      await this.#loadModels(apiKey);
    } catch (error) {
      if (!(error instanceof ModelListFailure)) throw error;
      const { status } = error.response;
      if (error.refusesKey) this.#log.warn('api_key_refused', { status, note: NOTE });
      else if (this.#checked === apiKey) this.#checked = null;
    }
  }
}
