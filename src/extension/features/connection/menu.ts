// The menu of the status bar item.
import * as vscode from 'vscode';
import { COMMANDS, menuGroups } from '../../../presentation/commands.ts';
import type { VisibleCommand } from '../../../presentation/commands.ts';
import { describeStatus } from '../../../presentation/statusText.ts';
import { PRODUCT } from '../../../presentation/text.ts';
import type { Core } from '../../core/core.ts';
import { runCommand } from '../../core/runCommand.ts';

interface MenuRow extends vscode.QuickPickItem {
  readonly command?: VisibleCommand;
}

/**
 * Most commands open a list or an input box of their own. Then the editor returns the focus to the web view that had it before
 * the menu or the palette, which would close them: hence their `ignoreFocusOut`.
 */
export async function showMenu({ supervisor, secrets }: Core): Promise<void> {
  const view = describeStatus(supervisor.status);
  const withApiKey = (await secrets.apiKey()) !== undefined;
  const groups = menuGroups(view, { whileRunning: supervisor.status.kind === 'running', withApiKey });
  const rows = groups.flatMap(({ title, commands }): MenuRow[] => [
    { label: title, kind: vscode.QuickPickItemKind.Separator },
    ...commands.map(rowFor),
  ]);
  const chosen = await vscode.window.showQuickPick(rows, { title: PRODUCT, placeHolder: view.headline });
  if (chosen?.command !== undefined) await runCommand(chosen.command);
}

function rowFor(command: VisibleCommand): MenuRow {
  const { icon = '', title } = COMMANDS[command];
  return { label: `$(${icon}) ${title}`, command };
}
