import type * as vscode from 'vscode';
import { TERMINAL_NAME } from '../../../keys/accessKeys.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { baseUrlOf } from '../../../shared/status.ts';

const DESCRIPTION = 'OpenAI clients in this terminal use Sealed Proxy.';

/** Gives new terminals the base URL and an access key, if the user has switched this on. */
export class TerminalEnvironment {
  readonly #variables: vscode.EnvironmentVariableCollection;
  readonly #secrets: Secrets;
  /** Grows with each update: an earlier one that is still waiting for its key gives up. */
  #generation = 0;
  /** Terminals have had a key since this was switched on. */
  #hadKey = false;

  constructor(variables: vscode.EnvironmentVariableCollection, secrets: Secrets) {
    this.#variables = variables;
    this.#secrets = secrets;
    variables.persistent = false;
  }

  async update(enabled: boolean, status: ProxyStatus): Promise<void> {
    const generation = ++this.#generation;
    const baseUrl = baseUrlOf(status);
    if (!enabled) this.#hadKey = false;
    if (!enabled || baseUrl === undefined) {
      this.#variables.clear();
      return;
    }
    let key = await this.#secrets.findAccessKey(TERMINAL_NAME, 'terminal');
    if (generation !== this.#generation) return;
    // A revoked key is only replaced when the user switches this off and on.
    if (!this.#hadKey) key ??= await this.#secrets.accessKeyNamed(TERMINAL_NAME, 'terminal');
    if (generation !== this.#generation) return;
    this.#hadKey = true;
    if (key === undefined) {
      this.#variables.clear();
      return;
    }
    this.#variables.description = DESCRIPTION;
    this.#variables.replace('OPENAI_BASE_URL', baseUrl);
    this.#variables.replace('OPENAI_API_BASE', baseUrl);
    this.#variables.replace('OPENAI_API_KEY', key.key);
  }
}
