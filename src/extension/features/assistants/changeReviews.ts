// A change that is shown in a diff editor, until the user writes or cancels it. Several can be open at once.
import * as vscode from 'vscode';
import { COMMANDS } from '../../../presentation/commands.ts';
import { setContextKey } from '../../core/contextKeys.ts';
import type { Core } from '../../core/core.ts';
import type { Comparison } from '../../core/documents.ts';

export class ChangeReviews implements vscode.Disposable {
  /** How to decide on each open change, by the URI of the new text, which no other change ever has. */
  readonly #open = new Map<string, (isAgreed: boolean) => void>();
  readonly #inBackground: Core['inBackground'];
  readonly #watch = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    if (closed.length > 0) this.#cancelClosed();
  });

  constructor({ inBackground }: Pick<Core, 'inBackground'>) {
    this.#inBackground = inBackground;
    inBackground(this.#showButtons()); // the editor keeps context keys when its extensions restart
  }

  /**
   * Asks in the title bar of the diff editor and in a notification, then closes the diff editor.
   * @param message says what would be written and where
   * @returns true only if the user agreed to exactly this change; closing the diff editor cancels
   */
  async ask(comparison: Comparison, message: string): Promise<boolean> {
    const key = comparison.modified.toString();
    const decided = new Promise<boolean>((resolve) => {
      this.#open.set(key, resolve);
    });
    this.#cancelClosed(); // the user may have closed it already
    await this.#showButtons();
    this.#inBackground(this.#notify(key, message, decided));
    const isAgreed = await decided;
    await this.#showButtons();
    await comparison.close();
    return isAgreed;
  }

  /** @param target the URI that the title bar names; from the Command Palette, the active editor's counts */
  decide(target: unknown, isAgreed: boolean): void {
    const modified =
      target instanceof vscode.Uri ? target : modifiedOf(vscode.window.tabGroups.activeTabGroup.activeTab);
    if (modified !== undefined) this.#decide(modified.toString(), isAgreed);
  }

  /**
   * As progress, because the editor hides a notification with buttons after ten seconds, maybe just when the user clicks,
   * and cannot take it back after a decision elsewhere.
   */
  async #notify(key: string, message: string, decided: Promise<boolean>): Promise<void> {
    if (!this.#open.has(key)) return; // the editor shows progress for a moment even if it has ended
    const title = `${message} To agree, select "${COMMANDS.writeChange.title}" above the diff.`;
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
    await vscode.window.withProgress(options, (progress, { onCancellationRequested }) => {
      progress.report({ increment: 0 }); // no moving bar: it waits for the user
      onCancellationRequested(() => {
        this.#decide(key, false);
      });
      return decided;
    });
  }

  #decide(key: string, isAgreed: boolean): void {
    const resolve = this.#open.get(key);
    this.#open.delete(key); // the first decision counts
    resolve?.(isAgreed);
  }

  #cancelClosed(): void {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const shown = new Set(tabs.map((tab) => modifiedOf(tab)?.toString()));
    for (const key of [...this.#open.keys()]) if (!shown.has(key)) this.#decide(key, false);
  }

  async #showButtons(): Promise<void> {
    await setContextKey('reviewing', this.#open.size > 0);
  }

  dispose(): void {
    this.#watch.dispose();
    for (const key of [...this.#open.keys()]) this.#decide(key, false);
  }
}

function modifiedOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified : undefined;
}
