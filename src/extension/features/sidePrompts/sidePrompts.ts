// Where the editor's side prompts go now: read again after each change that may matter.
import * as vscode from 'vscode';
import { isAiOff } from '../../../chat/sidePrompts/facts.ts';
import type { EditorFacts } from '../../../chat/sidePrompts/facts.ts';
import { judgeSidePrompts } from '../../../chat/sidePrompts/judge.ts';
import type { SidePrompt } from '../../../chat/sidePrompts/mark.ts';
import { SECTIONS } from '../../../chat/sidePrompts/settings.ts';
import type { EditorReading } from '../../../promptMap/editorSenders.ts';
import type { Settings } from '../../../settings/editorSettings.ts';
import { isAttested } from '../../../settings/rules.ts';
import type { Core } from '../../core/core.ts';
import { SECTION } from '../../core/settings.ts';
import { readEditorFacts } from './editorFacts.ts';

/** Changes come in groups: several settings, or the models of several vendors. In milliseconds. */
const SETTLING = 200;

export class SidePrompts implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  /** The marks were read again. */
  readonly onDidChange = this.#changed.event;
  readonly #settings: () => Settings;
  readonly #subscriptions: readonly vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #reading: EditorReading | undefined;

  constructor({ settings, inBackground }: Pick<Core, 'settings' | 'inBackground'>) {
    this.#settings = settings;
    const refreshSoon = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        inBackground(this.read());
      }, SETTLING);
    };
    this.#subscriptions = [
      vscode.lm.onDidChangeChatModels(refreshSoon),
      vscode.extensions.onDidChange(refreshSoon),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if ([...SECTIONS, SECTION].some((section) => event.affectsConfiguration(section))) refreshSoon();
      }),
    ];
    refreshSoon();
  }

  /** As they were read last; empty before the first time, and while AI features are turned off. */
  get known(): readonly SidePrompt[] {
    return this.#reading === undefined || isAiOff(this.#reading.facts) ? [] : this.#reading.prompts;
  }

  /** The marks that were read last, and what they follow from; undefined before the first time. */
  get reading(): EditorReading | undefined {
    return this.#reading;
  }

  /** What the marks follow from. */
  facts(): Promise<EditorFacts> {
    return readEditorFacts(isAttested(this.#settings().proxy.backendUrl));
  }

  async read(): Promise<readonly SidePrompt[]> {
    const facts = await this.facts();
    const prompts = judgeSidePrompts(facts);
    this.#reading = { facts, prompts };
    this.#changed.fire();
    return prompts;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}
