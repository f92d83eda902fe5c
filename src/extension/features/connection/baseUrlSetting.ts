// The setting sealedProxy.baseUrl, for extensions that read the address of the proxy from settings.
import * as vscode from 'vscode';
import { baseUrlOf } from '../../../shared/status.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { SECTION } from '../../core/settings.ts';

export class BaseUrlSetting {
  /** What this window wrote last: windows with different ports would otherwise overwrite each other endlessly. */
  #written: string | undefined;

  /** All data is removed: the address is written again after a new start. */
  forget(): void {
    this.#written = undefined;
  }

  /**
   * Writes the base URL if it has changed; removes one that now leads to another program. Writes nothing before it is
   * known that there is an API key: until then, other extensions have no use for the address.
   * @returns whether an address was written
   */
  async update(status: ProxyStatus): Promise<boolean> {
    const section = vscode.workspace.getConfiguration(SECTION);
    const current = section.get<string>('baseUrl');
    const isForeign = status.kind === 'portTaken' && current === `http://127.0.0.1:${status.port}/v1`;
    const next = isForeign ? '' : isUseful(status) ? baseUrlOf(status) : undefined;
    if (next === undefined || next === this.#written) return false;
    this.#written = next;
    if (next === current) return false;
    try {
      await section.update('baseUrl', next === '' ? undefined : next, vscode.ConfigurationTarget.Global);
    } catch (error) {
      this.#written = undefined;
      throw new Error(`The setting sealedProxy.baseUrl could not be written: ${String(error)}`, { cause: error });
    }
    return next !== '';
  }
}

function isUseful(status: ProxyStatus): boolean {
  return status.kind === 'running' && status.health.kind !== 'noKey' && status.health.kind !== 'checking';
}
