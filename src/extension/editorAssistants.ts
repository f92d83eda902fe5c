// The two assistants that are configured in the editor itself: by settings, and by its list of language models.
import * as vscode from 'vscode';
import type { EndpointList } from '../assistants/adapters/customEndpoint.ts';
import type { ExtensionSettings } from '../assistants/adapters/llamaVscode.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { Secrets } from '../keys/secrets.ts';

const LLAMA = 'llama-vscode';
const ADD_GROUP = 'lm.addLanguageModelsProviderGroup';

/** https://marketplace.visualstudio.com/items?itemName=ggml-org.llama-vscode */
export const llamaSettings: ExtensionSettings = {
  isInstalled: () => vscode.extensions.getExtension(`ggml-org.${LLAMA}`) !== undefined,
  read: (name) => vscode.workspace.getConfiguration(LLAMA).inspect(name)?.globalValue,
  isOverridden: (name) => {
    const { workspaceValue, workspaceFolderValue } = vscode.workspace.getConfiguration(LLAMA).inspect(name) ?? {};
    return workspaceValue !== undefined || workspaceFolderValue !== undefined;
  },
  write: async (name, value) => {
    await vscode.workspace.getConfiguration(LLAMA).update(name, value, vscode.ConfigurationTarget.Global);
  },
};

/** Uses a command of VS Code that not every version has. */
export function endpointList(secrets: Secrets): EndpointList {
  return {
    exists: async () => (await vscode.commands.getCommands(true)).includes(ADD_GROUP),
    add: async (group) => {
      await vscode.commands.executeCommand(ADD_GROUP, group);
    },
    remembered: async () => {
      const stored = await secrets.undoOf('custom-endpoint');
      const { after } = fieldsOf(parseJson(Buffer.from(stored ?? '')));
      return typeof after === 'string' ? after : undefined;
    },
  };
}
