// The menu of the status bar item, and where to go from it.
import * as vscode from 'vscode';
import { COMMANDS, menuGroups } from '../../presentation/commands.ts';
import type { VisibleCommand } from '../../presentation/commands.ts';
import { describeStatus } from '../../presentation/statusText.ts';
import { PRODUCT } from '../../presentation/text.ts';
import { EXTENSION_ID } from '../api/extensionId.ts';
import { SECTION } from '../settings.ts';
import { ensureApiKey } from './askApiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { runCommand } from './runCommand.ts';

const WALKTHROUGH = `${EXTENSION_ID}#start`;

export const menuCommands = {
  showMenu,
  openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', SECTION),
  openChat,
  getStarted: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
} satisfies CommandGroup;

interface MenuRow extends vscode.QuickPickItem {
  readonly command?: VisibleCommand;
}

const SEPARATOR: MenuRow = { label: '', kind: vscode.QuickPickItemKind.Separator };

/**
 * Most commands open a list or an input box of their own. Then the editor returns the focus to the web view that had it before
 * the menu or the palette, which would close them: hence their `ignoreFocusOut`.
 */
async function showMenu({ supervisor, secrets }: CommandContext): Promise<void> {
  const view = describeStatus(supervisor.status);
  const withApiKey = (await secrets.apiKey()) !== undefined;
  const groups = menuGroups(view.actions, { whileRunning: supervisor.status.kind === 'running', withApiKey });
  const rows = groups.flatMap((group, index) => [...(index === 0 ? [] : [SEPARATOR]), ...group.map(rowFor)]);
  const chosen = await vscode.window.showQuickPick(rows, { title: PRODUCT, placeHolder: view.headline });
  if (chosen?.command !== undefined) await runCommand(chosen.command);
}

/** From the walkthrough. */
async function openChat(context: CommandContext): Promise<void> {
  if (await ensureApiKey(context, 'The chat')) await vscode.commands.executeCommand('workbench.action.chat.open');
}

function rowFor(command: VisibleCommand): MenuRow {
  const { icon = '', title } = COMMANDS[command];
  return { label: `$(${icon}) ${title}`, command };
}
