// Sets and removes the backend's API key.
import * as vscode from 'vscode';
import type { Core } from '../../core/core.ts';
import { changeApiKey } from './askApiKey.ts';
import { showConnection } from './checkConnection.ts';

/** Resolves true if a key was stored. */
export async function setApiKey(context: Core): Promise<boolean> {
  const result = await changeApiKey(context, '');
  if (result === 'stored') void showConnection(context.supervisor);
  return result !== 'cancelled';
}

export async function removeApiKey({ secrets }: Core): Promise<void> {
  const remove = 'Remove';
  const answer = await vscode.window.showWarningMessage(
    'Remove the API key?',
    {
      modal: true,
      detail:
        'Programs that use Sealed Proxy get errors until you set a new key. ' +
        'To remove everything that Sealed Proxy has stored, run "Disconnect and Remove Everything" instead.',
    },
    remove,
  );
  if (answer === remove) await secrets.removeApiKey();
}
