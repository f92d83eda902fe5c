// Tells the user that the editor's chat may have moved to another provider's model. The editor tells no extension which
// model is selected, and none sees another provider's prompts: all that is known is which models the chat has used, and
// that they are no longer offered.
import * as vscode from 'vscode';
import type { Withdrawal } from '../../../chat/knownModels.ts';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';
import { COMMANDS } from '../../../presentation/commands.ts';
import type { VisibleCommand } from '../../../presentation/commands.ts';
import { PRODUCT } from '../../../presentation/text.ts';
import { asNotice, asPlain } from '../../../shared/escape.ts';
import { runCommand } from '../../core/runCommand.ts';

/** Where the ids of the models that the chat has used since the last notice are stored. */
const USED = 'chat.usedModels';
const SELECT = 'Select Model';
/** In characters. */
const LONGEST_NAME = 100;

const REASONS: Readonly<Record<Withdrawal, { readonly text: string; readonly remedy: VisibleCommand }>> = {
  off: { text: `${PRODUCT} is off, so its models are not available.`, remedy: 'start' },
  noKey: { text: `${PRODUCT} has no API key, so its models are not available.`, remedy: 'setApiKey' },
  keyRejected: {
    text: `The backend refused the API key, so the models of ${PRODUCT} are not available.`,
    remedy: 'setApiKey',
  },
};

export class ModelChangeNotice {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** The editor's chat uses a model. */
  async used(id: string): Promise<void> {
    const used = this.#used();
    if (!used.includes(id)) await this.#memory.update(USED, [...used, id]);
  }

  /** The user removes everything, and needs no notice of it. */
  async forget(): Promise<void> {
    await this.#memory.update(USED, undefined);
  }

  /**
   * These models are no longer offered.
   * @param reason undefined if the backend has removed them from its list
   */
  async removed(models: readonly { id: string; name: string }[], reason: Withdrawal | undefined): Promise<void> {
    const used = this.#used();
    const missed = models.filter(({ id }) => used.includes(id));
    if (missed.length === 0 || !(await this.#hasOthers())) return;
    const rest = used.filter((id) => !missed.some((model) => model.id === id));
    await this.#memory.update(USED, rest.length === 0 ? undefined : rest);
    const names = missed.map(({ name }) => asPlain(name, LONGEST_NAME)).join(', ');
    const { text, remedy } = reason === undefined ? removal(names) : REASONS[reason];
    const message = asNotice(
      `${text} VS Code's chat may now use a model of another provider. Check the selected model before your next prompt.`,
    );
    const title = remedy === undefined ? [] : [COMMANDS[remedy].title];
    const answer = await vscode.window.showWarningMessage(message, ...title, SELECT);
    if (answer === SELECT) await selectModel();
    else if (answer !== undefined && remedy !== undefined) await runCommand(remedy);
  }

  #used(): readonly string[] {
    const stored = this.#memory.get<unknown>(USED);
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
  }

  /** Whether the chat has models of other providers. */
  async #hasOthers(): Promise<boolean> {
    const models = await vscode.lm.selectChatModels();
    return models.some(({ vendor }) => vendor !== OUR_VENDOR);
  }
}

function removal(names: string): { readonly text: string; readonly remedy: undefined } {
  return { text: `The backend no longer offers ${names}.`, remedy: undefined };
}

async function selectModel(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.open');
  await vscode.commands.executeCommand('workbench.action.chat.openModelPicker');
}
