// The connection to the backend, and how other programs reach the proxy.
import * as vscode from 'vscode';
import { countModels } from '../../../chat/models.ts';
import { ASK_IN_CHAT } from '../../../dashboard/model.ts';
import { describeStatus, summaryOf } from '../../../presentation/statusText.ts';
import { asNotice } from '../../../shared/escape.ts';
import { baseUrlOf, isConnected } from '../../../shared/status.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands, runCommand } from '../../core/runCommand.ts';
import { ensureApiKey } from './askApiKey.ts';

export async function checkConnection(context: Core): Promise<void> {
  if (!(await ensureApiKey(context, 'The check'))) return;
  const { sharedStop, supervisor } = context;
  const location = vscode.ProgressLocation.Window;
  await vscode.window.withProgress({ location, title: 'Checking the connection…' }, async () => {
    await sharedStop.start();
    await supervisor.check();
  });
  await showConnection(supervisor);
}

/** Shows in one notification whether the backend can be used. */
export async function showConnection({ status }: Supervisor): Promise<void> {
  if (isConnected(status)) {
    void offerChat(`API key accepted. The backend offers ${countModels(status.health)}.`);
    return;
  }
  const message = asNotice(summaryOf(describeStatus(status)));
  await offerCommands(vscode.window.showWarningMessage, message, 'showLog');
}

/** In a new profile, the editor's own ways to the chat end at a sign-in to GitHub; this one does not. */
async function offerChat(message: string): Promise<void> {
  const answer = await vscode.window.showInformationMessage(message, ASK_IN_CHAT);
  if (answer === ASK_IN_CHAT) await runCommand('openChat');
}

export async function copyBaseUrl({ supervisor: { status } }: Core): Promise<void> {
  const url = baseUrlOf(status);
  if (url === undefined) {
    void vscode.window.showWarningMessage(asNotice(`There is no base URL. ${summaryOf(describeStatus(status))}`));
    return;
  }
  await vscode.env.clipboard.writeText(url);
  vscode.window.setStatusBarMessage(`Copied ${url}`, 3000);
}
