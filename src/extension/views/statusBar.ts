import * as vscode from 'vscode';
import { summaryOfMarks } from '../../chat/sidePrompts/mark.ts';
import type { SidePrompt } from '../../chat/sidePrompts/mark.ts';
import { commandId } from '../../presentation/commands.ts';
import { describeStatus, statusBarText, summaryOf } from '../../presentation/statusText.ts';
import { SIDE_PROMPTS_COMMAND, statusTooltip, tooltipCommands } from '../../presentation/statusTooltip.ts';
import { PRODUCT } from '../../presentation/text.ts';
import type { ProxyStatus } from '../../shared/status.ts';

/** The extension's item in the status bar. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sealedProxy.status', vscode.StatusBarAlignment.Right, 100);
  readonly #compact: () => boolean;
  readonly #sidePrompts: () => readonly SidePrompt[];

  /**
   * @param compact whether the item leaves out the product's name
   * @param sidePrompts empty to leave them out
   */
  constructor(compact: () => boolean, sidePrompts: () => readonly SidePrompt[]) {
    this.#compact = compact;
    this.#sidePrompts = sidePrompts;
    this.#item.name = PRODUCT;
    this.#item.show();
  }

  show(status: ProxyStatus): void {
    const view = describeStatus(status);
    this.#item.text = statusBarText(view, this.#compact());
    this.#item.command = commandId(view.click);
    this.#item.accessibilityInformation = { label: summaryOf(view), role: 'button' };
    this.#item.backgroundColor =
      view.severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${view.severity}Background`);
    const tooltip = new vscode.MarkdownString(statusTooltip(status, view, summaryOfMarks(this.#sidePrompts())), true);
    tooltip.isTrusted = { enabledCommands: [SIDE_PROMPTS_COMMAND, ...tooltipCommands(view)].map(commandId) };
    this.#item.tooltip = tooltip;
  }

  dispose(): void {
    this.#item.dispose();
  }
}
