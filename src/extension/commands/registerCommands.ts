import * as vscode from 'vscode';
import { commandId } from '../../presentation/commands.ts';
import type { CommandName } from '../../presentation/commands.ts';
import { accessKeyCommands } from './accessKeys.ts';
import { apiKeyCommands } from './apiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { connectAssistantCommands } from './connectAssistant.ts';
import { connectionCommands } from './connection.ts';
import { documentCommands } from './documents.ts';
import { evidenceCommands } from './evidence.ts';
import { keepChatSealedCommands } from './keepChatSealed.ts';
import { menuCommands } from './menu.ts';
import { proxyCommands } from './proxy.ts';
import { removeEverythingCommands } from './removeEverything.ts';
import { repairAssistantsCommands } from './repairAssistants.ts';

/** A command of the catalogue that no file runs is a type error here. */
const HANDLERS = {
  ...proxyCommands,
  ...connectionCommands,
  ...documentCommands,
  ...evidenceCommands,
  ...connectAssistantCommands,
  ...repairAssistantsCommands,
  ...keepChatSealedCommands,
  ...apiKeyCommands,
  ...accessKeyCommands,
  ...menuCommands,
  ...removeEverythingCommands,
} satisfies Required<CommandGroup>;

/** With these, the user uses Sealed Proxy again after everything was removed. */
const STARTING: readonly string[] = ['start', 'restart'] satisfies CommandName[];

/** Registers every command of the catalogue. */
export function registerCommands(context: CommandContext): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries<Required<CommandGroup>[CommandName]>(HANDLERS).map(([name, run]) =>
      vscode.commands.registerCommand(commandId(name as CommandName), (argument: unknown) => {
        if (STARTING.includes(name)) context.secrets.reopen();
        return run(context, argument);
      }),
    ),
  );
}
