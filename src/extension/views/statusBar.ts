import * as vscode from 'vscode';
import type { ProxyStatus } from '../../shared/status.ts';
import { describeStatus } from '../../presentation/statusText.ts';
import type { Action, StatusView } from '../../presentation/statusText.ts';

const NAME = 'Sealed Proxy';

/** The one item in the status bar. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sealedProxy.status', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.#item.name = NAME;
    this.#item.show();
  }

  show(status: ProxyStatus): void {
    const view = describeStatus(status, vscode.l10n.t);
    this.#item.text = view.text;
    this.#item.command = view.click === 'setApiKey' ? 'sealedProxy.setApiKey' : 'sealedProxy.showMenu';
    this.#item.accessibilityInformation = { label: view.accessibleText, role: 'button' };
    this.#item.backgroundColor = background(view.severity);
    this.#item.tooltip = tooltip(view);
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function background(severity: StatusView['severity']): vscode.ThemeColor | undefined {
  if (severity === 'none') return undefined;
  return new vscode.ThemeColor(`statusBarItem.${severity}Background`);
}

function tooltip({ summary, facts, actions }: StatusView): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString('', true);
  markdown.isTrusted = { enabledCommands: actions.map((action) => `sealedProxy.${action}`) };
  // Not appendText: its spaces do not break, so a long sentence would not be folded.
  markdown.appendMarkdown(`**${NAME}**\n\n${escape(summary)}\n\n`);
  if (facts.length > 0) {
    markdown.appendMarkdown('| | |\n| :-- | :-- |\n');
    for (const [name, value] of facts) markdown.appendMarkdown(`| ${escape(name)} | ${asValue(value)} |\n`);
    markdown.appendMarkdown('\n');
  }
  const links = actions.map((action) => `[${actionLabel(action)}](command:sealedProxy.${action})`);
  return markdown.appendMarkdown(links.join(' · '));
}

/** An address is there to be read and copied: a click on it would open a browser. */
function asValue(value: string): string {
  return /^https?:[^`|]*$/.test(value) ? `\`${value}\`` : escape(value);
}

/** What an action is called in menus and links. */
export function actionLabel(action: Action): string {
  const { t } = vscode.l10n;
  const labels: Readonly<Record<Action, string>> = {
    start: t('Start'),
    stop: t('Stop'),
    restart: t('Restart'),
    setApiKey: t('Set API Key'),
    removeApiKey: t('Remove API Key'),
    checkConnection: t('Check Now'),
    copyBaseUrl: t('Copy Base URL'),
    connectAssistant: t('Connect an Assistant…'),
    newAccessKey: t('New Access Key'),
    manageAccessKeys: t('Manage Access Keys'),
    showAttestation: t('Show Attestation'),
    showUsage: t('Show Usage'),
    diagnose: t('Diagnose'),
    showLog: t('Show Log'),
    useFreePort: t('Use a Free Port'),
    openSettings: t('Open Settings'),
    getStarted: t('Get Started'),
  };
  return labels[action];
}

function escape(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-!|<>~]/g, '\\$&');
}
