// What the buttons of the section "Where Prompts Go" do.
import * as vscode from 'vscode';
import type { SenderRemedy } from '../../../promptMap/sender.ts';
import { runCommand } from '../../core/runCommand.ts';
import { connect } from '../assistants/connectAssistant.ts';
import { remedyAction } from '../assistants/remedies.ts';
import { repair } from '../assistants/repairAssistants.ts';
import type { DashboardContext } from './context.ts';

export async function runRemedy(context: DashboardContext, remedy: SenderRemedy): Promise<void> {
  switch (remedy.kind) {
    case 'command':
      await runCommand(remedy.name);
      break;
    case 'extension':
      // Its own page would need the Marketplace, which may not answer.
      await vscode.commands.executeCommand('workbench.extensions.search', `@installed ${nameIn(remedy.id)}`);
      break;
    case 'assistant':
      await helpAssistant(context, remedy);
      break;
  }
}

/** The part of an extension's ID that the search of the editor compares. */
function nameIn(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/** Connects or repairs this assistant only. */
async function helpAssistant(
  context: DashboardContext,
  { assistant: id, remedy }: Extract<SenderRemedy, { kind: 'assistant' }>,
): Promise<void> {
  const state = (await context.assistants.list()).find(({ assistant }) => assistant.id === id);
  if (state === undefined) return;
  if (remedy.kind === 'connect') await connect(context, state.assistant);
  else if (remedy.kind === 'repair') await repair(context, [state]);
  else await remedyAction(remedy).run();
}
