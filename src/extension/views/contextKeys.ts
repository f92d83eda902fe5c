import * as vscode from 'vscode';
import type { ContextKey } from '../../presentation/commands.ts';

/** Sets a context key, for when clauses and the steps of the walkthrough. */
export async function setContextKey(name: ContextKey, value: boolean | string): Promise<void> {
  await vscode.commands.executeCommand('setContext', `sealedProxy.${name}`, value);
}
