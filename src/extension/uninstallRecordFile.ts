// Keeps the record for the uninstall script up to date. It is in the folder of the extension, where the script finds it, and
// which the editor deletes after the script has run.
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { AssistantService } from '../assistants/assistantService.ts';
import { writeRecord } from '../assistants/uninstallRecord.ts';

/** The user's settings on the desktop, and the settings of a remote computer. */
const SETTINGS = ['settings.json', '../Machine/settings.json'];

export class UninstallRecordFile {
  readonly #path: string;
  readonly #settings: readonly string[];
  readonly #assistants: Pick<AssistantService, 'record'>;

  constructor(
    { extensionPath, globalStorageUri }: Pick<vscode.ExtensionContext, 'extensionPath' | 'globalStorageUri'>,
    assistants: Pick<AssistantService, 'record'>,
  ) {
    this.#path = join(extensionPath, 'uninstall.json');
    this.#settings = SETTINGS.map((path) => besideUserSettings(globalStorageUri, path));
    this.#assistants = assistants;
  }

  async update(): Promise<void> {
    await writeRecord(this.#path, await this.#assistants.record(this.#settings));
  }

  async delete(): Promise<void> {
    await writeRecord(this.#path, undefined);
  }
}

/** A path relative to the folder in which the desktop keeps the user's settings. */
export function besideUserSettings(globalStorageUri: vscode.Uri, path: string): string {
  return join(globalStorageUri.fsPath, '..', '..', path);
}
