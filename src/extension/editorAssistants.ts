// The two assistants whose configuration is in the editor itself: llama.vscode and the Custom Endpoint list.
import * as vscode from 'vscode';
import type { EndpointList } from '../assistants/adapters/customEndpoint.ts';
import type { UserSettings } from '../assistants/adapters/llamaVscode.ts';
import { disconnectFile } from '../assistants/files/configFile.ts';
import { UndoStore } from '../assistants/undoStore.ts';
import type { MigratingUndoStorage } from '../assistants/undoStore.ts';

const ADD_GROUP = 'lm.addLanguageModelsProviderGroup';

export const userSettings: UserSettings = {
  read: (name) => vscode.workspace.getConfiguration().inspect(name)?.globalValue,
  isOverridden: (name) => {
    const { workspaceValue, workspaceFolderValue } = vscode.workspace.getConfiguration().inspect(name) ?? {};
    return workspaceValue !== undefined || workspaceFolderValue !== undefined;
  },
  write: async (name, value) => {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  },
};

/**
 * Uses a command that not every version of VS Code has.
 * @param file where the editor keeps the list, unless it keeps it in a browser or on another computer
 */
export function endpointList(storage: MigratingUndoStorage, file: string): EndpointList {
  const undo = new UndoStore(storage);
  return {
    exists: async () => (await vscode.commands.getCommands(true)).includes(ADD_GROUP),
    add: async (group) => {
      await vscode.commands.executeCommand(ADD_GROUP, group);
    },
    remembered: async () => (await undo.get('custom-endpoint'))?.after,
    edit: async (edit) => (await disconnectFile(file, edit, false)).kind === 'undone',
  };
}
