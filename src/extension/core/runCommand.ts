import * as vscode from 'vscode';
import { COMMANDS, commandId } from '../../presentation/commands.ts';
import type { CommandName, VisibleCommand } from '../../presentation/commands.ts';
import { SECTION } from './settings.ts';

/** Runs a command of the extension by its name. */
export async function runCommand(name: CommandName, ...args: readonly unknown[]): Promise<void> {
  await vscode.commands.executeCommand(commandId(name), ...args);
}

/** Opens these settings, or all of the extension if there are none. */
export async function openSettings(names: readonly string[]): Promise<void> {
  const query = names.length === 0 ? SECTION : `@id:${names.join(',')}`;
  await vscode.commands.executeCommand('workbench.action.openSettings', query);
}

/** Offers commands as the buttons of a notification, and runs the one that the user chooses. */
export async function offerCommands(
  show: (message: string, ...buttons: string[]) => Thenable<string | undefined>,
  message: string,
  ...names: readonly VisibleCommand[]
): Promise<void> {
  const answer = await show(message, ...names.map((name) => COMMANDS[name].title));
  const chosen = names.find((name) => COMMANDS[name].title === answer);
  if (chosen !== undefined) await runCommand(chosen, ...(chosen === 'openSettings' ? [message] : []));
}
