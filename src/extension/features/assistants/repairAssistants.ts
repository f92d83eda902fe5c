// Repairs connected assistants that still use an old address or a revoked key.
import * as vscode from 'vscode';
import { namesOf } from '../../../assistants/assistantService.ts';
import type { AssistantState, Proposal } from '../../../assistants/assistantService.ts';
import { asNotice } from '../../../shared/escape.ts';
import { isReady } from './connectAssistant.ts';
import type { AssistantsContext } from './context.ts';

export async function repairAssistants(context: AssistantsContext): Promise<void> {
  await repair(context, await context.assistants.list());
}

/**
 * Shows the changes to those of the assistants that are outdated in one dialog, and writes them if the user agrees. Returns
 * what was shown then: sentences; empty if the user cancelled.
 */
export async function repair(context: AssistantsContext, states: readonly AssistantState[]): Promise<string> {
  const { assistants } = context;
  if (!(await isReady(context))) return '';
  const proposals = await assistants.proposeRepairs(states);
  const changes = proposals.filter((each) => each.kind === 'proposal');
  const refusals = proposals.filter((each) => each.kind === 'refused').map(({ message }) => message);
  const repaired: Proposal[] = [];
  if (changes.length > 0 && (await agreeToRepair(changes, refusals))) {
    for (const change of changes) {
      const result = await assistants.apply(change);
      if (result.kind === 'refused') refusals.push(result.message);
      else repaired.push(change);
    }
  }
  const success = repaired.length === 0 ? [] : [`Repaired: ${namesOf(repaired)}.`];
  for (const message of success) void vscode.window.showInformationMessage(message);
  for (const message of refusals) void vscode.window.showErrorMessage(asNotice(message));
  return [...success, ...refusals].join(' ');
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
