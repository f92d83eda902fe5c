// The extension of the demonstration: the product, which has the API key of the development enclave, and opens the chat
// with one of its models. It is never shipped.
import * as vscode from 'vscode';
import type { SealedProxyApi } from '../../../src/extension/features/api/apiTypes.ts';
import { openChat } from '../../../src/extension/features/chat/openChat.ts';
import { activate as activateProduct } from '../../../src/extension/main.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';

export { deactivate } from '../../../src/extension/main.ts';

const API_KEY = 'dev-demo';
const MODEL = { vendor: 'sealed-proxy', id: 'glm-5-2' };
const QUESTION = 'What does shop.mjs do?';
/** Written to the global state when the chat was opened. */
const OPENED = 'demo.opened';

/** Sets the key and opens the chat only once, so that the user can change both. */
export async function activate(context: vscode.ExtensionContext): Promise<SealedProxyApi> {
  const isFirst = context.globalState.get(OPENED) !== true;
  if (isFirst) await setKey(context);
  const api = activateProduct(context);
  if (isFirst) void showDemonstration().then(() => context.globalState.update(OPENED, true));
  return api;
}

async function setKey({ secrets, globalStorageUri }: vscode.ExtensionContext): Promise<void> {
  const own = new Secrets(secrets, new MachineStore(globalStorageUri.fsPath));
  await own.setApiKey(API_KEY);
  own.dispose();
}

async function showDemonstration(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder !== undefined)
    await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(folder.uri, 'README.md'));
  await openChat({ query: QUESTION, isPartialQuery: true, modelSelector: MODEL });
}
