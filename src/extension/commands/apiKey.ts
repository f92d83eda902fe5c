// Sets and removes the backend's API key.
import * as vscode from 'vscode';
import { changeApiKey } from './askApiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { showConnection } from './connection.ts';

export const apiKeyCommands = { setApiKey, removeApiKey } satisfies CommandGroup;

/** Resolves true if a key was stored. */
async function setApiKey(context: CommandContext): Promise<boolean> {
  const isStored = await changeApiKey(context, '');
  if (isStored) void showConnection(context.supervisor);
  return isStored;
}

async function removeApiKey({ secrets }: CommandContext): Promise<void> {
  const remove = 'Remove';
  const answer = await vscode.window.showWarningMessage(
    'Remove the API key?',
    { modal: true, detail: 'Programs that use Sealed Proxy get errors until you set a new key.' },
    remove,
  );
  if (answer === remove) await secrets.removeApiKey();
}
