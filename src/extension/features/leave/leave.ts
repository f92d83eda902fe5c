// Leaves nothing behind: the command that removes everything, and the record for the script that runs after an uninstallation.
import * as vscode from 'vscode';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import { asMarkdown } from '../../../shared/escape.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';
import { offerCommands } from '../../core/runCommand.ts';
import { describeRemoval, leftoversDocument, runRemoval } from './removal.ts';
import type { ChangedSettings, RemovalStep } from './removal.ts';
import { removalSteps } from './removalSteps.ts';
import { UninstallRecordFile } from './uninstallRecordFile.ts';

/** What other features have stored or changed. */
export interface Belongings {
  readonly assistants: AssistantService;
  readonly onAssistantsChange: vscode.Event<void>;
  readonly chatSettings: ChangedSettings;
  readonly chat: { readonly forget: () => Promise<void> };
  readonly usageHistory: { readonly erase: () => Promise<void> };
}

export type Leave = ReturnType<typeof registerLeave>;

export function registerLeave(core: Core, belongings: Belongings) {
  const { context, documents, secrets, supervisor, inBackground, logFailure } = core;
  const { assistants, onAssistantsChange, chatSettings, chat, usageHistory } = belongings;
  const record = new UninstallRecordFile(context, assistants);
  const removed = new vscode.EventEmitter<void>();
  const remove = async () => {
    await chat.forget();
    await supervisor.stop();
    await usageHistory.erase().catch(logFailure); // also what the proxy has not sent yet
    removed.fire();
    await record.delete();
    await documents.closeComparisons(); // this cancels the changes that they show
  };
  core.whenRemoved(async () => {
    await remove();
    await secrets.sweep();
  });
  context.subscriptions.push(
    removed,
    onAssistantsChange(() => {
      inBackground(record.update());
    }),
  );
  const steps = removalSteps({ context, assistants, secrets, stop: remove, changedSettings: chatSettings });
  return {
    record,
    /** All data is being removed, in this window or in another one. */
    onRemoved: removed.event,
    commands: { removeEverything: () => removeEverything(core, steps) } satisfies Commands,
  };
}

const KEPT = 'The API key stays valid at the backend. VS Code keeps its own logs, chats and local history of settings.';

async function removeEverything({ documents }: Core, removal: readonly RemovalStep[]): Promise<void> {
  const remove = 'Remove Everything';
  const lines = (await describeRemoval(removal)).map((line) => `• ${line}`);
  const detail = [...lines, '', `This cannot be undone. ${KEPT}`].join('\n');
  const question = 'Disconnect all assistants and remove everything that Sealed Proxy has stored?';
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
  const leftovers = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Removing everything that Sealed Proxy has stored…' },
    () => runRemoval(removal),
  );
  if (leftovers.length > 0) {
    const rows = leftovers.map(({ where, message }) => ({ where: asMarkdown(where), message: asMarkdown(message) }));
    await documents.show('What Remains.md', leftoversDocument(rows));
  }
  const restart = 'Restart assistants and terminals that are still open: they may still use the address of the proxy.';
  const uninstall = 'Uninstall Extension';
  const result =
    leftovers.length === 0
      ? 'Sealed Proxy has removed everything that it had stored or written.'
      : 'Sealed Proxy could not remove everything. The document "What Remains" lists what is left.';
  if ((await vscode.window.showInformationMessage(`${result} ${restart}`, uninstall)) !== uninstall) return;
  await vscode.commands.executeCommand('workbench.extensions.uninstallExtension', EXTENSION_ID);
  const after = 'Sealed Proxy is uninstalled. What this window still shows of it goes when you reload it.';
  void offerCommands(vscode.window.showInformationMessage, after, 'reloadWindow');
}
