import type * as vscode from 'vscode';
import type { SealedProxyApi } from './api/apiTypes.ts';
import { SealedProxyExtension } from './extension.ts';

/** Held for as long as the host lives: `deactivate` has no other way to it. */
let extension: SealedProxyExtension | undefined;

export function activate(context: vscode.ExtensionContext): SealedProxyApi {
  extension = new SealedProxyExtension(context);
  return extension.begin(context);
}

export async function deactivate(): Promise<void> {
  await extension?.end();
}
