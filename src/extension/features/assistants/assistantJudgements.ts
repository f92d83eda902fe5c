// Judges the assistants again when the window opens, and when files, settings, folders or the proxy's address change.
import * as vscode from 'vscode';
import { JudgementFollower } from '../../../assistants/follower.ts';
import { TERMINAL } from '../../../assistants/judging/variables.ts';
import { baseUrlOf } from '../../../shared/status.ts';
import type { Core } from '../../core/core.ts';
import type { AssistantNotices } from './assistantNotices.ts';

/** The IDs of the assistants that were sealed last. */
const SEALED = 'sealedAssistants';
/** Settings that decide where prompts of assistants go. */
const SECTIONS = [TERMINAL.key, 'claudeCode', 'llama-vscode'];

export class AssistantJudgements implements vscode.Disposable {
  readonly #follower: JudgementFollower;
  readonly #subscriptions: vscode.Disposable;
  #baseUrl: string | undefined;

  constructor(notices: AssistantNotices, { logFailure, inBackground, onStatus }: Core) {
    const { assistants, memory } = notices;
    this.#follower = new JudgementFollower({
      list: () => assistants.list(),
      remembered: () => memory.get<readonly string[]>(SEALED) ?? [],
      remember: (ids) => {
        void memory.update(SEALED, ids);
      },
      onUnsealed: (state) => {
        inBackground(notices.unsealed(state));
      },
      onFailure: logFailure,
    });
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (SECTIONS.some((section) => event.affectsConfiguration(section))) this.look();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(this.look),
      onStatus((current) => {
        const baseUrl = baseUrlOf(current);
        if (baseUrl === this.#baseUrl) return;
        this.#baseUrl = baseUrl;
        this.look();
      }),
    );
    this.look();
  }

  readonly look = (): void => {
    this.#follower.look();
  };

  dispose(): void {
    this.#subscriptions.dispose();
    this.#follower.dispose();
  }
}
