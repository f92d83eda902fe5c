import type * as vscode from 'vscode';
import type { ProxyStatus } from '../shared/status.ts';
import { baseUrlOf } from '../shared/status.ts';
import type { Secrets } from './secrets.ts';

/** The name of the access key that terminals get. */
const TERMINAL = 'Terminal';
const DESCRIPTION = 'OpenAI clients in this terminal talk to Sealed Proxy.';

/** Gives new terminals the base URL and an access key, where the person has asked for it. */
export class TerminalEnvironment {
  readonly #variables: vscode.EnvironmentVariableCollection;
  readonly #secrets: Secrets;

  constructor(variables: vscode.EnvironmentVariableCollection, secrets: Secrets) {
    this.#variables = variables;
    this.#secrets = secrets;
    variables.persistent = false;
  }

  async update(enabled: boolean, status: ProxyStatus): Promise<void> {
    const baseUrl = baseUrlOf(status);
    if (!enabled || baseUrl === undefined) {
      this.#variables.clear();
      return;
    }
    const { key } = await this.#secrets.accessKeyNamed(TERMINAL);
    this.#variables.description = DESCRIPTION;
    this.#variables.replace('OPENAI_BASE_URL', baseUrl);
    this.#variables.replace('OPENAI_API_BASE', baseUrl);
    this.#variables.replace('OPENAI_API_KEY', key);
  }
}
