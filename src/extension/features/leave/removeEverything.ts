// Leaves nothing of the extension behind: in assistants' files, in the editor and on the disk.
import * as vscode from 'vscode';
import { asMarkdown } from '../../../shared/escape.ts';
import type { Core } from '../../core/core.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';
import { describeRemoval, leftoversDocument, runRemoval } from './removal.ts';
import type { RemovalStep } from './removal.ts';

const KEPT = 'The API key stays valid at the backend. VS Code keeps its own logs, chats and local history of settings.';

export async function removeEverything({ documents }: Core, removal: readonly RemovalStep[]): Promise<void> {
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
  if ((await vscode.window.showInformationMessage(`${result} ${restart}`, uninstall)) === uninstall)
    await vscode.commands.executeCommand('workbench.extensions.uninstallExtension', EXTENSION_ID);
}
