import type * as vscode from 'vscode';
import type { ProxyStatus } from '../shared/status.ts';
import { baseUrlOf } from '../shared/status.ts';
import { TERMINAL_NAME } from '../keys/accessKeys.ts';
import type { Secrets } from '../keys/secrets.ts';

const DESCRIPTION = 'OpenAI clients in this terminal talk to Sealed Proxy.';

/** Gives new terminals the base URL and an access key, where the person has asked for it. */
export class TerminalEnvironment {
  readonly #variables: vscode.EnvironmentVariableCollection;
  readonly #secrets: Secrets;
  #turn = 0;
  /** There was a key since this was switched on. */
  #given = false;

  constructor(variables: vscode.EnvironmentVariableCollection, secrets: Secrets) {
    this.#variables = variables;
    this.#secrets = secrets;
    variables.persistent = false;
  }

  async update(enabled: boolean, status: ProxyStatus): Promise<void> {
    const turn = ++this.#turn;
    const baseUrl = baseUrlOf(status);
    if (!enabled) this.#given = false;
    if (!enabled || baseUrl === undefined) {
      this.#variables.clear();
      return;
    }
    let key = await this.#secrets.findAccessKey(TERMINAL_NAME, 'terminal');
    if (turn !== this.#turn) return; // it has been switched off, or is elsewhere
    // One that was revoked is not replaced by itself.
    if (!this.#given) key ??= await this.#secrets.accessKeyNamed(TERMINAL_NAME, 'terminal');
    if (turn !== this.#turn) return;
    this.#given = true;
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
