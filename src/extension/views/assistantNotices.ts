// Notifications about connected assistants whose configuration no longer works or whose keys may be known to others.
import * as vscode from 'vscode';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantService, AssistantState } from '../../assistants/assistantService.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import { runCommand } from '../commands/runCommand.ts';

export class AssistantNotices {
  readonly #assistants: AssistantService;
  #portWasTaken = false;

  constructor(assistants: AssistantService) {
    this.#assistants = assistants;
  }

  /** The base URL has changed: assistants with the old one would call a closed port, or another program. */
  async addressChanged(): Promise<void> {
    const names = namesOf(await this.#withState('old'));
    if (names === '') return;
    const repair = 'Repair';
    const message = `The address of Sealed Proxy has changed. These assistants still use the old one: ${names}.`;
    if ((await vscode.window.showWarningMessage(message, repair)) === repair) await runCommand('repairAssistants');
  }

  /** A program that had the port in the meantime may have received requests of assistants, with their access keys. */
  async statusChanged({ kind }: ProxyStatus): Promise<void> {
    if (kind === 'portTaken') this.#portWasTaken = true;
    if (kind !== 'running' || !this.#portWasTaken) return;
    this.#portWasTaken = false;
    const connected = await this.#withState('current');
    const names = namesOf(connected);
    if (names === '') return;
    const renew = 'Renew Keys';
    const message = `Another program used the port for a while. It may have received the access keys of ${names}.`;
    if ((await vscode.window.showWarningMessage(message, renew)) !== renew) return;
    await this.#assistants.revoke(connected.map(({ assistant }) => assistant));
    await runCommand('repairAssistants');
  }

  async #withState(kind: 'old' | 'current'): Promise<readonly AssistantState[]> {
    return (await this.#assistants.look()).filter(({ configState }) => configState.kind === kind);
  }
}
