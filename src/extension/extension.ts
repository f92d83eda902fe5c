// Everything of one window, composed: settings, secrets, supervisor, status bar, commands.
import * as vscode from 'vscode';
import type { SealedProxyApi } from './apiTypes.ts';
import { baseUrlOf } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { PublicApi } from './api.ts';
import { registerCommands } from './commands.ts';
import { Documents } from './documents.ts';
import { HostFolder } from './hostFolder.ts';
import { ChannelLog } from './log.ts';
import { Secrets } from './secrets.ts';
import { SECTION, readNetwork, readSettings } from './settings.ts';
import { StatusBar, actionLabel } from './statusBar.ts';
import { describeStatus } from './statusText.ts';
import { Supervisor } from './supervisor.ts';
import { TerminalEnvironment } from './terminal.ts';

/** A window that comes back after this long checks the connection, in milliseconds. */
const STALE = 5 * 60_000;

export class SealedProxyExtension {
  readonly #log = new ChannelLog();
  readonly #statusBar = new StatusBar();
  readonly #statusChanged = new vscode.EventEmitter<ProxyStatus>();
  readonly #secrets: Secrets;
  readonly #supervisor: Supervisor;
  readonly #terminal: TerminalEnvironment;
  readonly #documents = new Documents();
  #settings = readSettings(this.#log.channel.logLevel);
  /** What a person was told last, until all is well again. */
  #told: string | undefined;

  constructor({ extensionPath, globalStorageUri, secrets, environmentVariableCollection }: vscode.ExtensionContext) {
    this.#secrets = new Secrets(secrets, new HostFolder(globalStorageUri.fsPath));
    this.#terminal = new TerminalEnvironment(environmentVariableCollection, this.#secrets);
    this.#supervisor = new Supervisor({
      module: vscode.Uri.joinPath(vscode.Uri.file(extensionPath), 'dist', 'proxy.js').fsPath,
      cwd: globalStorageUri.fsPath,
      settings: () => this.#settings.proxy,
      network: readNetwork,
      checkInterval: () => this.#settings.checkIntervalMs,
      secrets: () => this.#secrets.forProxy(),
      onStatus: (status) => {
        this.#show(status);
      },
      onLog: (line) => {
        this.#log.proxyLine(line);
      },
      onKeyUsed: (id) => void this.#secrets.noteUse(id),
      onRefused: (setting, message) => {
        void vscode.window.showErrorMessage(
          setting === null
            ? message
            : vscode.l10n.t('The setting {0} is not used: {1}', `sealedProxy.${setting}`, message),
        );
      },
    });
    this.#show(this.#supervisor.status);
  }

  /** Registers everything; the proxy starts in the background, and the editor does not wait for it. */
  begin({ subscriptions }: vscode.ExtensionContext): SealedProxyApi {
    const api = new PublicApi(this.#supervisor, this.#secrets, this.#statusChanged.event);
    const [supervisor, secrets, log, documents] = [this.#supervisor, this.#secrets, this.#log, this.#documents];
    subscriptions.push(
      log,
      secrets,
      documents,
      this.#statusBar,
      this.#statusChanged,
      registerCommands({ supervisor, secrets, log, api, documents }),
      secrets.onDidChange((change) => {
        void supervisor.secretsChanged(change === 'apiKey');
        void this.#tellMenus();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('http')) void this.#applySettings();
      }),
      log.channel.onDidChangeLogLevel(() => void this.#applySettings()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) supervisor.checkIfOlder(STALE);
      }),
    );
    void this.#start();
    return api.forExtensions();
  }

  async end(): Promise<void> {
    await this.#supervisor.end();
  }

  async #start(): Promise<void> {
    try {
      await this.#secrets.watch(); // makes the folder, which is the proxy's as well
    } catch (error) {
      this.#log.channel.error(`The storage folder of the extension cannot be used: ${String(error)}`);
    }
    await this.#tellMenus();
    if (this.#settings.autoStart) await this.#supervisor.start();
  }

  /** The palette offers what can work. */
  async #tellMenus(): Promise<void> {
    const hasApiKey = (await this.#secrets.apiKey()) !== undefined;
    await vscode.commands.executeCommand('setContext', 'sealedProxy.hasApiKey', hasApiKey);
  }

  async #applySettings(): Promise<void> {
    const next = readSettings(this.#log.channel.logLevel);
    const good = await this.#supervisor.checkSettings(next.proxy);
    this.#settings = good ? next : { ...next, proxy: this.#settings.proxy };
    await this.#supervisor.settingsChanged();
    await this.#terminal.update(this.#settings.terminal, this.#supervisor.status);
  }

  #show(status: ProxyStatus): void {
    this.#statusBar.show(status);
    this.#statusChanged.fire(status);
    void vscode.commands.executeCommand('setContext', 'sealedProxy.state', status.kind);
    void this.#publish(status);
    void this.#tell(status);
  }

  /** For extensions that read settings, and for new terminals. */
  async #publish(status: ProxyStatus): Promise<void> {
    const url = baseUrlOf(status);
    const section = vscode.workspace.getConfiguration(SECTION);
    if (url !== undefined && section.get('baseUrl') !== url) {
      await section.update('baseUrl', url, vscode.ConfigurationTarget.Global);
    }
    await this.#terminal.update(this.#settings.terminal, status);
  }

  /** The two things that a person has to know at once, each said once. */
  async #tell(status: ProxyStatus): Promise<void> {
    if (status.kind === 'running' || status.kind === 'off') this.#told = undefined;
    if (status.kind !== 'failed' && status.kind !== 'portTaken') return;
    const { summary } = describeStatus(status, vscode.l10n.t);
    if (summary === this.#told) return;
    this.#told = summary;
    const actions =
      status.kind === 'failed' ? (['showLog', 'restart'] as const) : (['useFreePort', 'openSettings'] as const);
    const answer = await vscode.window.showErrorMessage(summary, ...actions.map(actionLabel));
    const action = actions.find((known) => actionLabel(known) === answer);
    if (action !== undefined) await vscode.commands.executeCommand(`sealedProxy.${action}`);
  }
}
