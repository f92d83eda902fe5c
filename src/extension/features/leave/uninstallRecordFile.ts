// Keeps the record for the uninstall script up to date. It is in the folder of the extension, where the script finds it, and
// which the editor deletes after the script has run.
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import { writeRecord } from '../../../assistants/leave.ts';
import { besideUserSettings } from '../../core/userSettings.ts';

/** The user's settings on the desktop, and the settings of a remote computer. */
const SETTINGS = ['settings.json', '../Machine/settings.json'];

/** Where the port that the extension wrote last is stored. */
const PORT = 'writtenPort';

export class UninstallRecordFile {
  readonly #path: string;
  readonly #memory: vscode.Memento;
  readonly #settings: readonly string[];
  readonly #storage: string;
  readonly #assistants: Pick<AssistantService, 'leave'>;

  constructor(
    context: Pick<vscode.ExtensionContext, 'extensionPath' | 'globalStorageUri' | 'globalState'>,
    assistants: Pick<AssistantService, 'leave'>,
  ) {
    this.#path = join(context.extensionPath, 'uninstall.json');
    this.#memory = context.globalState;
    this.#settings = SETTINGS.map((path) => besideUserSettings(context.globalStorageUri, path));
    this.#storage = context.globalStorageUri.fsPath;
    this.#assistants = assistants;
  }

  async update(): Promise<void> {
    const port = this.#memory.get<number>(PORT);
    await writeRecord(this.#path, {
      ...(await this.#assistants.leave.record(this.#settings)),
      ...(port !== undefined && { port }),
      storage: this.#storage,
    });
  }

  /** The extension writes this port to its setting. */
  async addPort(port: number): Promise<void> {
    await this.#memory.update(PORT, port);
    await this.update();
  }

  async delete(): Promise<void> {
    await writeRecord(this.#path, undefined);
  }
}
