import * as vscode from 'vscode';
import type { ContextKey } from '../../presentation/commands.ts';
import { isConnected } from '../../shared/status.ts';
import type { ProxyStatus } from '../../shared/status.ts';

/** Sets a context key, for when clauses and the steps of the walkthrough. */
export async function setContextKey(name: ContextKey, value: boolean | string): Promise<void> {
  await vscode.commands.executeCommand('setContext', `sealedProxy.${name}`, value);
}

/** Sets the context keys that depend on the status. */
export async function setStatusKeys(status: ProxyStatus): Promise<void> {
  await Promise.all([
    setContextKey('state', status.kind),
    setContextKey('verified', isConnected(status) && status.verified?.kind === 'verified'),
    setContextKey('newImage', status.kind === 'running' && Boolean(status.newImage)),
  ]);
}
