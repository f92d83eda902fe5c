// Tells the user of values that do not apply because of a setting's scope. They may be from an earlier version, which
// used them, or from a repository.
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { jsonc } from '../../../assistants/formats/json.ts';
import {
  describeIgnoredSettings,
  filesWithIgnoredSettings,
  findIgnoredSettings,
} from '../../../settings/ignoredSettings.ts';
import { offerCommands } from '../../core/runCommand.ts';

/** What the user was told last. */
const TOLD = 'ignoredSettings';

/** Shows a notification unless the user has seen it. */
export async function reportIgnoredSettings(
  { globalState, globalStorageUri }: Pick<vscode.ExtensionContext, 'globalState' | 'globalStorageUri'>,
  log: (message: string) => void,
): Promise<void> {
  const isRemote = vscode.env.remoteName !== undefined;
  const configuration = vscode.workspace.getConfiguration();
  const names: string[] = [];
  for (const file of filesWithIgnoredSettings(globalStorageUri.fsPath, isRemote)) {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    names.push(...findIgnoredSettings(jsonc.read(text), (name) => configuration.get(name)));
  }
  if (names.length === 0) return;
  const message = describeIgnoredSettings(names, isRemote);
  log(message);
  if (globalState.get(TOLD) === message) return;
  await globalState.update(TOLD, message);
  await offerCommands(vscode.window.showWarningMessage, message, 'openSettings');
}
