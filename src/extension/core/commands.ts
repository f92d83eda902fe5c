import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { COMMANDS, commandId } from '../../presentation/commands.ts';
import type { CommandName } from '../../presentation/commands.ts';
import type { Core } from './core.ts';

/** Commands by name, with the functions that run them. */
export type Commands = Partial<Record<CommandName, (argument: unknown) => unknown>>;

/** With these, the user uses Sealed Proxy again after everything was removed. */
const STARTING: readonly string[] = ['start', 'restart'] satisfies CommandName[];
/**
 * When the palette closes, a step of a walkthrough gets the focus, and takes it once more 250 ms later, also from an input
 * box that a command has opened meanwhile (VS Code 1.139). No event tells when it has. In milliseconds.
 */
const WALKTHROUGH_FOCUS = 400;

/** Registers every command of the catalogue: one that no feature has is a type error. */
export function registerCommands({ context, secrets }: Core, commands: Required<Commands>): void {
  for (const [name, run] of Object.entries(commands)) {
    const registration = vscode.commands.registerCommand(commandId(name as CommandName), async (argument: unknown) => {
      if (STARTING.includes(name)) secrets.reopen();
      const mayAsk = Object.hasOwn(COMMANDS, name) && name !== ('getStarted' satisfies CommandName);
      if (mayAsk && mayShowWalkthrough()) await delay(WALKTHROUGH_FOCUS);
      return run(argument);
    });
    context.subscriptions.push(registration);
  }
}

/** The tab of a walkthrough has no type, unlike those of files and most others. */
function mayShowWalkthrough(): boolean {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  return activeTab !== undefined && activeTab.input === undefined;
}
