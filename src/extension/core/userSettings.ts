// The user's settings, and the folder in which the desktop keeps them.
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { UserSettings } from '../../assistants/adapters/llamaVscode.ts';

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

/** A path relative to the folder in which the desktop keeps the user's settings. */
export function besideUserSettings(globalStorageUri: vscode.Uri, path: string): string {
  return join(globalStorageUri.fsPath, '..', '..', path);
}
