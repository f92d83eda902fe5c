// Repairs connected assistants that still use an old address or a revoked key.
import * as vscode from 'vscode';
import { namesOf } from '../../assistants/assistantService.ts';
import type { Proposal } from '../../assistants/assistantService.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { isReady } from './connectAssistant.ts';

export const repairAssistantsCommands = { repairAssistants } satisfies CommandGroup;

/** Shows all changes in one dialog, and writes them if the user agrees. */
async function repairAssistants(context: CommandContext): Promise<void> {
  const { assistants } = context;
  if (!(await isReady(context))) return;
  const proposals = await assistants.proposeRepairs(await assistants.list());
  const changes = proposals.filter((each) => each.kind === 'proposal');
  const refusals = proposals.filter((each) => each.kind === 'refused').map(({ message }) => message);
  if (changes.length > 0 && (await agreeToRepair(changes, refusals))) {
    const repaired: Proposal[] = [];
    for (const change of changes) {
      const result = await assistants.apply(change);
      if (result.kind === 'refused') refusals.push(result.message);
      else repaired.push(change);
    }
    if (repaired.length > 0) void vscode.window.showInformationMessage(`Repaired: ${namesOf(repaired)}.`);
  }
  for (const message of refusals) void vscode.window.showErrorMessage(message);
}

async function agreeToRepair(changes: readonly Proposal[], refusals: readonly string[]): Promise<boolean> {
  const repair = 'Repair';
  const lines = changes.flatMap(({ assistant, preview }) => [
    `${assistant.name}: ${preview.path}`,
    ...preview.changes.map((change) => `   ${change}`),
  ]);
  const detail = [...lines, ...refusals].join('\n');
  const question = `Repair ${namesOf(changes)}?`;
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, repair)) === repair;
}
