// A change that is shown in a diff editor, until the user writes or cancels it. Several can be open at once.
import * as vscode from 'vscode';
import { setContextKey } from '../../core/contextKeys.ts';
import type { Core } from '../../core/core.ts';
import type { Comparison } from '../../core/documents.ts';

const WRITE = 'Write';
const CANCEL = 'Cancel';
const AGREED = 'You have already agreed to this change.';
const CANCELLED = 'You have already cancelled this change. Nothing was written.';

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
    this.#inBackground(this.#notify(comparison, message, decided));
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
   * A notification that the user closes decides nothing: the diff editor is still open. If the user agrees while another
   * tab covers the change, it is shown, and the user is asked again. The editor cannot take back a notification: after a
   * decision elsewhere, its buttons say that there is one.
   */
  async #notify({ modified, show }: Comparison, message: string, decided: Promise<boolean>): Promise<void> {
    const key = modified.toString();
    while (this.#open.has(key)) {
      const answer = await vscode.window.showInformationMessage(message, WRITE, CANCEL);
      if (answer === undefined) return;
      if (!this.#open.has(key)) {
        void vscode.window.showInformationMessage((await decided) ? AGREED : CANCELLED);
        return;
      }
      if (answer === CANCEL || isVisible(key)) this.#decide(key, answer === WRITE);
      else await show();
    }
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

function isVisible(key: string): boolean {
  return vscode.window.tabGroups.all.some(({ activeTab }) => modifiedOf(activeTab)?.toString() === key);
}

function modifiedOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified : undefined;
}
