import type { ModelOverrides } from '../settings/modelOverrides.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { chatModels } from './models.ts';
import type { ChatModel } from './models.ts';

/** Why the models are not offered: the proxy was stopped, or only a new API key can help. */
export type Withdrawal = 'off' | 'noKey' | 'keyRejected';

/**
 * The models that the editor's chat is offered. The last known ones stay through every pause: for an empty list, the editor
 * would select a model of another provider.
 */
export class KnownModels {
  #catalogue: unknown;
  #keyProblem: Exclude<Withdrawal, 'off'> | undefined;
  #isStopped = false;
  #isRunning = false;
  #hasApiKey = true;
  /** Before the first start, the proxy is off without having been stopped, unless it is in all windows. */
  #wasStarted = false;

  /** @param catalogue a stored `catalogue`; any other value is ignored */
  constructor(catalogue: unknown) {
    this.#catalogue = catalogue;
  }

  /** The last list with a chat model that the backend sent. */
  get catalogue(): unknown {
    return this.#catalogue;
  }

  /** Why no models are offered, or undefined. */
  get withdrawal(): Withdrawal | undefined {
    if (this.#isStopped) return 'off';
    return this.#isRunning || this.#hasApiKey ? this.#keyProblem : 'noKey';
  }

  /** Whether an API key is stored: counts while no proxy runs, which would know it. */
  setHasApiKey(hasApiKey: boolean): void {
    this.#hasApiKey = hasApiKey;
  }

  offered(overrides: ModelOverrides): ChatModel[] {
    return this.withdrawal === undefined ? chatModels(this.#catalogue, overrides) : [];
  }

  update(status: ProxyStatus): void {
    this.#isStopped = status.kind === 'off' && (this.#wasStarted || status.allWindows === true);
    this.#wasStarted ||= status.kind !== 'off';
    this.#isRunning = status.kind === 'running';
    if (status.kind !== 'running') return;
    const { health } = status;
    if (health.kind === 'noKey' || health.kind === 'keyRejected') this.#keyProblem = health.kind;
    if (health.kind !== 'connected') return;
    this.#keyProblem = undefined;
    if (chatModels(health.catalogue, {}).length > 0) this.#catalogue = health.catalogue;
  }
}
