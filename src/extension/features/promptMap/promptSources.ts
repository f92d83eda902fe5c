// What the list of senders is made of: the editor's models and settings, its extensions, assistants and access keys.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { AssistantService, AssistantState } from '../../../assistants/assistantService.ts';
import type { AccessKey } from '../../../keys/accessKeys.ts';
import type { InstalledExtension } from '../../../promptMap/extensionSenders.ts';
import { findPrograms } from '../../../promptMap/programs.ts';
import { promptMap } from '../../../promptMap/promptMap.ts';
import type { PromptMap } from '../../../promptMap/promptMap.ts';
import { fieldsOf } from '../../../shared/json.ts';
import type { Core } from '../../core/core.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';
import type { SidePrompts } from '../sidePrompts/sidePrompts.ts';

interface Context {
  readonly core: Core;
  readonly sidePrompts: SidePrompts;
  readonly assistants: AssistantService;
}

export class PromptSources {
  readonly #context: Context;
  /** The ids of assistants of the command line, as they were found last. */
  #programs: readonly string[] = [];
  /** This window works on another computer than the user's. */
  readonly isRemote = vscode.env.remoteName !== undefined;
  /** A setting, a model or an extension has changed. */
  readonly onDidChange: vscode.Event<void>;

  constructor(context: Context) {
    this.#context = context;
    this.onDidChange = context.sidePrompts.onDidChange; // it reads again when extensions change, too
  }

  /** Reads everything. */
  async read(): Promise<PromptMap> {
    const { assistants, core } = this.#context;
    const [states, keys] = await Promise.all([assistants.list(), core.secrets.accessKeys(), this.findPrograms()]);
    return this.map(states, keys);
  }

  async findPrograms(): Promise<void> {
    const isWindows = process.platform === 'win32';
    this.#programs = await findPrograms({ home: homedir(), path: process.env['PATH'], isWindows });
  }

  /** With assistants and access keys that were read already. */
  map(states: readonly AssistantState[], keys: readonly AccessKey[]): PromptMap {
    const { core, sidePrompts } = this.#context;
    return promptMap({
      status: core.supervisor.status,
      editor: sidePrompts.reading,
      extensions: installedExtensions(),
      assistants: states,
      programs: this.#programs,
      keyNames: keys.filter(({ origin }) => origin === 'assistant').map(({ name }) => name),
    });
  }
}

const AI_CATEGORIES: readonly unknown[] = ['AI', 'Chat'];

/** Those that are enabled in this extension host, without this extension. */
function installedExtensions(): readonly InstalledExtension[] {
  return vscode.extensions.all
    .filter(({ id }) => id !== EXTENSION_ID)
    .map(({ id, packageJSON }) => {
      const { displayName, name, categories, contributes, isBuiltin } = fieldsOf(packageJSON);
      const { chatParticipants, languageModelChatProviders } = fieldsOf(contributes);
      const isForAi = Array.isArray(categories) && categories.some((category) => AI_CATEGORIES.includes(category));
      return {
        id,
        name: [displayName, name].find((text) => typeof text === 'string') ?? id,
        isBuiltIn: isBuiltin === true,
        isForAi: isForAi || isFilled(chatParticipants),
        offersModels: isFilled(languageModelChatProviders),
      };
    });
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
