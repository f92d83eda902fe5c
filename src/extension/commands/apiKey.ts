// Sets and removes the backend's API key.
import * as vscode from 'vscode';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { showConnection } from './connection.ts';

export const apiKeyCommands = { setApiKey, removeApiKey } satisfies CommandGroup;

async function setApiKey({ secrets, supervisor }: CommandContext): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: 'Sealed Proxy: Set API Key',
    prompt:
      "Enter your backend's API key; for the default backend, create one at trymaple.ai. It is stored in VS Code's secret " +
      'storage and leaves this computer only in encrypted form.',
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : apiKeyProblem(value.trim())),
  });
  if (typed === undefined) return;
  const key = typed.trim();
  const problem = apiKeyProblem(key);
  if (problem !== undefined) {
    void vscode.window.showErrorMessage(problem);
    return;
  }
  await secrets.setApiKey(key);
  await supervisor.start();
  await supervisor.secretsChanged(true);
  await showConnection(supervisor);
}

/** Why this cannot be an API key, or undefined. */
function apiKeyProblem(key: string): string | undefined {
  if (key === '') return 'Enter the API key.';
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'An API key contains only letters, digits and punctuation, without spaces. Copy it again.';
  if (key.length > 16_384) return 'An API key has at most 16,384 characters.';
  if (key.startsWith('sealed-')) return "This is an access key of Sealed Proxy. Enter the backend's API key instead.";
  return undefined;
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
