// Leaves nothing behind: the command that removes everything, and the record for the script that runs after an uninstallation.
import * as vscode from 'vscode';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import type { ChangedSettings } from './removal.ts';
import { removalSteps } from './removalSteps.ts';
import { removeEverything } from './removeEverything.ts';
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
  core.whenRemoved(remove);
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
