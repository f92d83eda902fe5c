import * as vscode from 'vscode';
import { unsealedTitles } from '../../../chat/sidePrompts/mark.ts';
import { commandId } from '../../../presentation/commands.ts';
import { describeStatus, statusBarText, summaryOf } from '../../../presentation/statusText.ts';
import { statusTooltip, tooltipCommands } from '../../../presentation/statusTooltip.ts';
import { PRODUCT } from '../../../presentation/text.ts';
import type { Settings } from '../../../settings/editorSettings.ts';
import { asPlain } from '../../../shared/escape.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import type { Core } from '../../core/core.ts';
import type { SidePrompts } from '../sidePrompts/sidePrompts.ts';
import type { registerUsage } from '../usage/usage.ts';

/** What a screen reader says, in characters. */
const LONGEST_SPOKEN = 1000;

/** What the tooltip shows besides the state. */
export interface StatusBarSources {
  readonly sidePrompts: Pick<SidePrompts, 'known' | 'onDidChange'>;
  readonly usage: Pick<ReturnType<typeof registerUsage>, 'today' | 'onDidChange'>;
}

/** The extension's item in the status bar. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sealedProxy.status', vscode.StatusBarAlignment.Right, 100);
  readonly #settings: () => Settings;
  readonly #sources: StatusBarSources;
  readonly #subscriptions: vscode.Disposable;

  constructor({ settings, supervisor, onStatusOrSettings }: Core, sources: StatusBarSources) {
    this.#settings = settings;
    this.#sources = sources;
    this.#item.name = PRODUCT;
    this.#item.show();
    const show = () => {
      this.#show(supervisor.status);
    };
    this.#subscriptions = vscode.Disposable.from(
      onStatusOrSettings(show),
      sources.sidePrompts.onDidChange(show),
      sources.usage.onDidChange(show),
    );
  }

  #show(status: ProxyStatus): void {
    const view = describeStatus(status);
    this.#item.text = statusBarText(view, this.#settings()['statusBar.compact']);
    this.#item.command = commandId(view.click);
    this.#item.accessibilityInformation = { label: asPlain(summaryOf(view), LONGEST_SPOKEN), role: 'button' };
    this.#item.backgroundColor =
      view.severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${view.severity}Background`);
    const { sidePrompts, usage } = this.#sources;
    const facts = { unsealed: unsealedTitles(sidePrompts.known), today: usage.today() };
    const tooltip = new vscode.MarkdownString(statusTooltip(status, view, facts), true);
    tooltip.isTrusted = { enabledCommands: tooltipCommands(view).map(commandId) };
    this.#item.tooltip = tooltip;
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#item.dispose();
  }
}
