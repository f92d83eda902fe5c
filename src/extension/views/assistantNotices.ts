// What a person has to know of connected assistants without asking.
import * as vscode from 'vscode';
import type { ProxyStatus } from '../../shared/status.ts';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantService, AssistantState } from '../../assistants/assistantService.ts';

const { t } = vscode.l10n;

export class AssistantNotices {
  readonly #connections: AssistantService;
  #strangerHadPort = false;

  constructor(connections: AssistantService) {
    this.#connections = connections;
  }

  /** The address has changed: assistants that were told the old one ask a port where nobody is, or somebody else. */
  async addressChanged(): Promise<void> {
    const old = namesOf(await this.#those('old'));
    if (old === '') return;
    const mend = t('Mend');
    const said = t('The address of Sealed Proxy has changed. Still set to an old one: {0}.', old);
    if ((await vscode.window.showWarningMessage(said, mend)) === mend) await mendAll();
  }

  /** Whoever had the port in between was asked by the assistants, with their access keys. */
  async statusChanged({ kind }: ProxyStatus): Promise<void> {
    if (kind === 'portTaken') this.#strangerHadPort = true;
    if (kind !== 'running' || !this.#strangerHadPort) return;
    this.#strangerHadPort = false;
    const connected = await this.#those('current');
    const names = namesOf(connected);
    if (names === '') return;
    const renew = t('Renew Keys');
    const said = t('Another program had the port for a while, and may have been sent the access keys of {0}.', names);
    if ((await vscode.window.showWarningMessage(said, renew)) !== renew) return;
    await this.#connections.revoke(connected.map(({ assistant }) => assistant));
    await mendAll();
  }

  async #those(kind: 'old' | 'current'): Promise<readonly AssistantState[]> {
    return (await this.#connections.look()).filter(({ configState: configState }) => configState.kind === kind);
  }
}

async function mendAll(): Promise<void> {
  await vscode.commands.executeCommand('sealedProxy.mendAssistants');
}
