import * as vscode from 'vscode';
import { commandId } from '../../presentation/commands.ts';
import { PRODUCT, describeStatus, statusBarText, summaryOf } from '../../presentation/statusText.ts';
import { statusTooltip } from '../../presentation/statusTooltip.ts';
import type { ProxyStatus } from '../../shared/status.ts';

/** The extension's item in the status bar. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sealedProxy.status', vscode.StatusBarAlignment.Right, 100);
  readonly #compact: () => boolean;

  /** @param compact whether the item leaves out the product's name */
  constructor(compact: () => boolean) {
    this.#compact = compact;
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
    const tooltip = new vscode.MarkdownString(statusTooltip(status, view), true);
    tooltip.isTrusted = { enabledCommands: view.actions.map(commandId) };
    this.#item.tooltip = tooltip;
  }

  dispose(): void {
    this.#item.dispose();
  }
}
