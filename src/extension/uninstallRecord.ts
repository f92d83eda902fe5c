// Keeps the record on this computer's disk of what the script removes that runs after the extension was uninstalled.
import { join } from 'node:path';
import type { AssistantService } from '../assistants/assistantService.ts';
import { writeRecord } from '../assistants/uninstallRecord.ts';

export class UninstallRecord {
  readonly #file: string;
  readonly #settings: readonly string[];

  /** @param folder of the user's settings: see `settingsFolder` */
  constructor(extensionPath: string, folder: string) {
    this.#file = join(extensionPath, 'uninstall.json');
    const names = ['settings.json', join('..', 'Machine', 'settings.json')]; // of the desktop; of a remote computer
    this.#settings = names.map((name) => join(folder, name));
  }

  async update(assistants: AssistantService): Promise<void> {
    await writeRecord(this.#file, await assistants.record(this.#settings));
  }

  async remove(): Promise<void> {
    await writeRecord(this.#file, undefined);
  }
}

/** The folder in which the desktop keeps the user's settings, found from the folder of the extension's data. */
export function settingsFolder(storageFolder: string): string {
  return join(storageFolder, '..', '..');
}
