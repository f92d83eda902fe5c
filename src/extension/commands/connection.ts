// The connection to the backend, and how other programs reach the proxy.
import * as vscode from 'vscode';
import { describeStatus, summaryOf } from '../../presentation/statusText.ts';
import { asNotice } from '../../shared/escape.ts';
import { fieldsOf } from '../../shared/json.ts';
import { baseUrlOf, isConnected } from '../../shared/status.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { ensureApiKey } from './askApiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { offerCommands } from './runCommand.ts';

export const connectionCommands = {
  checkConnection,
  copyBaseUrl,
  reviewImage: ({ images }) => images.review(),
  getBaseUrl: ({ api }) => api.getBaseUrl(),
  getStatus: ({ api }) => api.status(),
  getConnection: ({ api }, argument) => api.getConnection(fieldsOf(argument)['client']),
} satisfies CommandGroup;

async function checkConnection(context: CommandContext): Promise<void> {
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
    const { length } = status.health.models;
    void vscode.window.showInformationMessage(
      `API key accepted. ${length} ${length === 1 ? 'model is' : 'models are'} available.`,
    );
    return;
  }
  const message = asNotice(summaryOf(describeStatus(status)));
  await offerCommands(vscode.window.showWarningMessage, message, 'showLog');
}

async function copyBaseUrl({ supervisor: { status } }: CommandContext): Promise<void> {
  const url = baseUrlOf(status);
  if (url === undefined) {
    void vscode.window.showWarningMessage(asNotice(`There is no base URL. ${summaryOf(describeStatus(status))}`));
    return;
  }
  await vscode.env.clipboard.writeText(url);
  vscode.window.setStatusBarMessage(`Copied ${url}`, 3000);
}
