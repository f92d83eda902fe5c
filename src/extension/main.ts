import type * as vscode from 'vscode';
import type { SealedProxyApi } from './api/apiTypes.ts';
import { SealedProxyExtension } from './extension.ts';

/** `deactivate` gets no argument to find it by. */
let extension: SealedProxyExtension | undefined;

export function activate(context: vscode.ExtensionContext): SealedProxyApi {
  extension = new SealedProxyExtension(context);
  return extension.begin(context);
}

export async function deactivate(): Promise<void> {
  await extension?.end();
}
