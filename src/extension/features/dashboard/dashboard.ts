// The dashboard: one tab, which the editor restores after a reload. Nothing is measured or polled unless it is visible.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DashboardFeed } from '../../../dashboard/feed.ts';
import { parseFromDashboard } from '../../../dashboard/messages.ts';
import type { FromDashboard, ToDashboard } from '../../../dashboard/messages.ts';
import { SECTIONS } from '../../../dashboard/model.ts';
import type { Section } from '../../../dashboard/model.ts';
import { dashboardPage } from '../../../dashboard/page.ts';
import { PRODUCT } from '../../../presentation/text.ts';
import type { Commands } from '../../core/commands.ts';
import { DashboardActions } from './dashboardActions.ts';
import type { DashboardContext } from './dashboardActions.ts';

const VIEW_TYPE = 'sealedProxy.dashboard';

export function registerDashboard(context: DashboardContext) {
  const dashboard = new Dashboard(context);
  context.core.context.subscriptions.push(dashboard);
  context.core.whenRemoved(() => {
    dashboard.close();
    return Promise.resolve();
  });
  const showing = (section: Section) => () => {
    dashboard.show(section);
  };
  return {
    commands: {
      openDashboard: (argument: unknown) => {
        dashboard.show(SECTIONS.find((section) => section === argument));
      },
      showPrompts: showing('prompts'),
      keepChatSealed: showing('sidePrompts'),
      showAttestation: showing('attestation'),
      showUsage: showing('usage'),
    } satisfies Commands,
  };
}

class Dashboard implements vscode.Disposable {
  readonly #resources: vscode.Uri;
  readonly #actions: DashboardActions;
  readonly #feed: DashboardFeed;
  readonly #registrations: readonly { readonly dispose: () => unknown }[];
  #panel: vscode.WebviewPanel | undefined;
  /** The web view is loaded, and receives messages. */
  #isReady = false;
  /** The section to show once the web view is ready. */
  #requested: Section | undefined;

  constructor(context: DashboardContext) {
    this.#resources = vscode.Uri.joinPath(context.core.context.extensionUri, 'dist');
    const { supervisor, secrets, settings, log } = context.core;
    this.#feed = new DashboardFeed({ ...context, supervisor, secrets, settings, log }, this.#post);
    this.#actions = new DashboardActions(context, this.#feed);
    this.#registrations = [
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
        deserializeWebviewPanel: (panel) => {
          this.#adopt(panel);
          return Promise.resolve();
        },
      }),
      context.core.onStatus(() => {
        this.#feed.statusChanged();
      }),
      context.promptSources.onDidChange(() => {
        void this.#feed.clientsChanged();
      }),
      secrets.onDidChange(() => {
        void this.#feed.clientsChanged();
      }),
    ];
  }

  /** Opens the tab, or shows the open one. */
  show(section?: Section): void {
    this.#requested = section;
    if (this.#panel === undefined) {
      const options = { retainContextWhenHidden: false };
      this.#adopt(vscode.window.createWebviewPanel(VIEW_TYPE, PRODUCT, vscode.ViewColumn.Active, options));
    } else {
      this.#panel.reveal();
      this.#showRequested();
    }
  }

  close(): void {
    this.#panel?.dispose();
  }

  dispose(): void {
    this.#feed.stop();
    for (const registration of this.#registrations) registration.dispose();
  }

  /** Fills a tab that was opened or restored. There is never a second one. */
  #adopt(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    this.#panel = panel;
    this.#isReady = false;
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [this.#resources] };
    panel.iconPath = new vscode.ThemeIcon('dashboard');
    webview.onDidReceiveMessage((value: unknown) => {
      const message = parseFromDashboard(value);
      if (message !== undefined) this.#receive(message);
    });
    // A hidden web view is unloaded; it says that it is ready when it is shown again.
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.#unloaded(panel);
    });
    panel.onDidDispose(() => {
      this.#unloaded(panel);
      if (this.#panel === panel) this.#panel = undefined;
    });
    const uriOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.#resources, file)).toString();
    webview.html = dashboardPage({
      cspSource: webview.cspSource,
      scriptUri: uriOf('dashboard.js'),
      styleUri: uriOf('dashboard.css'),
      nonce: randomBytes(16).toString('hex'),
    });
  }

  #unloaded(panel: vscode.WebviewPanel): void {
    if (this.#panel !== panel) return;
    this.#isReady = false;
    this.#feed.stop();
  }

  #receive(message: FromDashboard): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#feed.start();
      this.#showRequested();
    } else {
      void this.#actions.run(message).then(() => {
        this.#post({ type: 'ended', action: message });
      });
    }
  }

  readonly #post = (message: ToDashboard): void => {
    if (this.#isReady) void this.#panel?.webview.postMessage(message);
  };

  #showRequested(): void {
    if (!this.#isReady || this.#requested === undefined) return;
    void this.#panel?.webview.postMessage({ type: 'show', section: this.#requested } satisfies ToDashboard);
    this.#requested = undefined;
  }
}
