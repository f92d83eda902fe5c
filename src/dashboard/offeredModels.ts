// Which models a failed request could have named. Pure.
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';

/** What the backend offers; while it cannot be used, what it offered last: why a request failed does not change then. */
export class OfferedModels {
  #backendUrl = '';
  #ids: readonly string[] = [];

  /** The ids; empty if they are not known. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  update(status: ProxyStatus): void {
    if (status.kind !== 'running') return;
    if (isConnected(status)) this.#ids = status.health.models;
    else if (status.backendUrl !== this.#backendUrl) this.#ids = [];
    this.#backendUrl = status.backendUrl;
  }
}
