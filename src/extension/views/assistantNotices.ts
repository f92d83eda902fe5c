// Notifications about connected assistants that need the user's attention.
import * as vscode from 'vscode';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantService, AssistantState } from '../../assistants/assistantService.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import { runCommand } from '../commands/runCommand.ts';

export class AssistantNotices {
  readonly #assistants: AssistantService;
  #wasPortTaken = false;

  constructor(assistants: AssistantService) {
    this.#assistants = assistants;
  }

  /** Offers to repair the assistants that still use the previous address, where another program may listen. */
  async addressChanged(): Promise<void> {
    const outdated = namesOf(await this.#inState('outdated'));
    if (outdated === '') return;
    const repair = 'Repair';
    const message = `The address of Sealed Proxy has changed. Still using an outdated address or key: ${outdated}.`;
    if ((await vscode.window.showWarningMessage(message, repair)) === repair) await runCommand('repairAssistants');
  }

  /** Offers new keys after another program has used the port: assistants may have sent it their keys. */
  async statusChanged({ kind }: ProxyStatus): Promise<void> {
    if (kind === 'portTaken') this.#wasPortTaken = true;
    if (kind !== 'running' || !this.#wasPortTaken) return;
    this.#wasPortTaken = false;
    const connected = await this.#inState('current');
    if (connected.length === 0) return;
    const renew = 'Renew Keys';
    const message =
      'Another program used the port of Sealed Proxy. It may have received the access keys of these assistants: ' +
      `${namesOf(connected)}.`;
    if ((await vscode.window.showWarningMessage(message, renew)) !== renew) return;
    await this.#assistants.revoke(connected.map(({ assistant }) => assistant));
    await runCommand('repairAssistants');
  }

  async #inState(kind: 'outdated' | 'current'): Promise<readonly AssistantState[]> {
    return (await this.#assistants.list()).filter(({ configState }) => configState.kind === kind);
  }
}
