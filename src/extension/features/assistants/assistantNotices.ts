// Notifications about connected assistants that need the user's attention.
import * as vscode from 'vscode';
import { namesOf } from '../../../assistants/assistantService.ts';
import type { AssistantService, AssistantState } from '../../../assistants/assistantService.ts';
import { asNotice } from '../../../shared/escape.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { runCommand } from '../../core/runCommand.ts';
import { remedyAction } from './remedies.ts';

/** The user wants no more notifications about prompts that are not sealed. */
const SILENT = 'unsealedNoticeOff';

export class AssistantNotices {
  readonly assistants: AssistantService;
  readonly memory: vscode.Memento;
  #wasPortTaken = false;

  constructor(assistants: AssistantService, memory: vscode.Memento) {
    this.assistants = assistants;
    this.memory = memory;
  }

  /** Offers to repair the assistants that still use the previous address, where another program may listen. */
  async addressChanged(): Promise<void> {
    const outdated = await this.#inState('outdated');
    if (outdated.length === 0) return;
    const repair = 'Repair';
    const [verb, whose] = outdated.length === 1 ? ['uses', 'its'] : ['use', 'their'];
    const message =
      `${namesOf(outdated)} still ${verb} an outdated address or access key of Sealed Proxy. ` +
      `Repair updates ${whose} configuration.`;
    if ((await vscode.window.showWarningMessage(message, repair)) === repair) await runCommand('repairAssistants');
  }

  /** Offers new keys after another program has used the port: assistants may have sent it their keys. */
  async statusChanged(status: ProxyStatus): Promise<void> {
    // A program that does not listen has received nothing.
    if (status.kind === 'portTaken' && status.by !== 'silent' && status.by !== 'system') this.#wasPortTaken = true;
    if (status.kind !== 'running' || !this.#wasPortTaken) return;
    this.#wasPortTaken = false;
    const connected = await this.#inState('current');
    if (connected.length === 0) return;
    const keys = connected.length === 1 ? 'its access key' : 'their access keys';
    const renew = 'Renew Keys';
    const message =
      `${namesOf(connected)} may have sent ${keys} to another program that used Sealed Proxy's port. ` +
      'Renew the keys so that the other program cannot use them.';
    if ((await vscode.window.showWarningMessage(message, renew)) !== renew) return;
    await this.assistants.revoke(connected.map(({ assistant }) => assistant));
    await runCommand('repairAssistants');
  }

  /** Says once that prompts of an assistant are not sealed any more, with what can be done. */
  async unsealed({ assistant, judgement: { sentence, remedy } }: AssistantState): Promise<void> {
    if (this.memory.get(SILENT) === true) return;
    const action = remedy && remedyAction(remedy);
    const never = "Don't Show Again";
    const message = asNotice(`Not all prompts of ${assistant.name} are sealed any more. ${sentence}`);
    const buttons = [...(action === undefined ? [] : [action.label]), never];
    const answer = await vscode.window.showWarningMessage(message, ...buttons);
    if (answer === never) await this.memory.update(SILENT, true);
    else if (answer !== undefined) await action?.run();
  }

  async #inState(kind: 'outdated' | 'current'): Promise<readonly AssistantState[]> {
    return (await this.assistants.list()).filter(({ configState }) => configState.kind === kind);
  }
}
