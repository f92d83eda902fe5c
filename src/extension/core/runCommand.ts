import * as vscode from 'vscode';
import { COMMANDS, commandId } from '../../presentation/commands.ts';
import type { CommandName, VisibleCommand } from '../../presentation/commands.ts';

/** Runs a command of the extension by its name. */
export async function runCommand(name: CommandName): Promise<void> {
  await vscode.commands.executeCommand(commandId(name));
}

/** Offers commands as the buttons of a notification, and runs the one that the user chooses. */
export async function offerCommands(
  show: (message: string, ...buttons: string[]) => Thenable<string | undefined>,
  message: string,
  ...names: readonly VisibleCommand[]
): Promise<void> {
  const answer = await show(message, ...names.map((name) => COMMANDS[name].title));
  const chosen = names.find((name) => COMMANDS[name].title === answer);
  if (chosen !== undefined) await runCommand(chosen);
}
