import type * as vscode from 'vscode';
import type { SealedProxyApi } from './features/api/apiTypes.ts';
import { openWindow } from './window.ts';
import type { Window } from './window.ts';

/** `deactivate` gets no argument to find it by. */
let opened: Window | undefined;

export function activate(context: vscode.ExtensionContext): SealedProxyApi {
  opened = openWindow(context);
  return opened.api;
}

export async function deactivate(): Promise<void> {
  await opened?.close();
}
