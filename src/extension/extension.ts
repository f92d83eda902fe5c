// Everything of one window, composed: settings, secrets, supervisor, status bar, commands.
import * as vscode from 'vscode';
import { OWN_KEY_NAME } from '../keys/accessKeys.ts';
import type { SealedProxyApi } from './api/apiTypes.ts';
import { baseUrlOf } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { PublicApi } from './api/api.ts';
import { allAssistants } from '../assistants/registry.ts';
import { AssistantNotices } from './views/assistantNotices.ts';
import type { ModelChoice } from '../assistants/types.ts';
import { chatModels } from '../chat/models.ts';
import { ChatProvider } from './languageModel/chatProvider.ts';
import { registerCommands } from './commands/commands.ts';
import type { ConnectContext } from './commands/connectAssistant.ts';
import { AssistantService, choiceOf } from '../assistants/assistantService.ts';
import { Documents } from './views/documents.ts';
import { validateSettings, refusalOf, startSettings } from '../settings/validateSettings.ts';
import type { Refusal } from '../settings/validateSettings.ts';
import { endpointList, llamaSettings } from './editorAssistants.ts';
import { MachineStore } from '../keys/machineStore.ts';
import { ChannelLog } from './log.ts';
import { asNotice } from '../presentation/plainText.ts';
import { Secrets } from '../keys/secrets.ts';
import type { SecretChange } from '../keys/secrets.ts';
import { SECTION, readSettings } from './settings.ts';
import { StatusBar, actionLabel } from './views/statusBar.ts';
import { describeStatus } from '../presentation/statusText.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
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
  readonly #chat: ChatProvider;
  readonly #assistants: AssistantService;
  readonly #notices: AssistantNotices;
  #settings = startSettings(readSettings(this.#log.channel.logLevel));
  /** What a person was told last, until all is well again. */
  #told: string | undefined;
  /** For the walkthrough: a model was asked something. */
  #asked = false;
  /** The base URL that this window wrote last. */
  #published: string | undefined;
  /** By setting, what a person was told of it last. */
  #refused = new Map<string, string>();

  constructor({ extensionPath, globalStorageUri, secrets, environmentVariableCollection }: vscode.ExtensionContext) {
    this.#secrets = new Secrets(secrets, new MachineStore(globalStorageUri.fsPath));
    this.#terminal = new TerminalEnvironment(environmentVariableCollection, this.#secrets);
    this.#supervisor = new Supervisor({
      module: vscode.Uri.joinPath(vscode.Uri.file(extensionPath), 'dist', 'proxy.js').fsPath,
      cwd: globalStorageUri.fsPath,
      settings: () => this.#settings.proxy,
      network: () => this.#settings.network,
      checkInterval: () => this.#settings.checkInterval * 1000,
      secrets: () => this.#secrets.forProxy(),
      onStatus: (status) => {
        this.#show(status);
      },
      onLog: (line) => {
        this.#log.proxyLine(line);
      },
      onKeyUsed: (id) => {
        this.#secrets.noteUse(id).catch(this.#logFailure);
      },
      onChatAnswered: (id) => {
        this.#noteAnswer(id).catch(this.#logFailure);
      },
      onRefused: (problems) => {
        this.#tellRefusals(problems.map(refusalOf));
      },
    });
    this.#chat = new ChatProvider(this.#supervisor, () => this.#settings.modelOverrides, this.#noteAsked);
    this.#assistants = new AssistantService({
      supervisor: this.#supervisor,
      secrets: this.#secrets,
      assistants: allAssistants(llamaSettings, endpointList(this.#secrets)),
      baseUrl: () => baseUrlOf(this.#supervisor.status),
      models: () => this.#models(),
      isInstalled: (id) => vscode.extensions.getExtension(id) !== undefined,
    });
    this.#notices = new AssistantNotices(this.#assistants);
    this.#show(this.#supervisor.status);
  }

  /** Registers everything; the proxy starts in the background, and the editor does not wait for it. */
  begin({ subscriptions }: vscode.ExtensionContext): SealedProxyApi {
    const api = new PublicApi(this.#supervisor, this.#secrets, this.#statusChanged.event);
    const [supervisor, secrets, log, documents] = [this.#supervisor, this.#secrets, this.#log, this.#documents];
    const connect: ConnectContext = {
      assistants: this.#assistants,
      baseUrl: () => api.getBaseUrl(),
      models: () => this.#models(),
      documents,
      isPortRandom: () => this.#settings.proxy.port === 0,
    };
    subscriptions.push(
      log,
      secrets,
      documents,
      this.#statusBar,
      this.#statusChanged,
      this.#chat,
      registerCommands({ supervisor, secrets, log, api, documents, settings: () => this.#settings, connect }),
      secrets.onDidChange((change) => {
        void this.#secretsChanged(change);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('http'))
          this.#applySettings().catch(this.#logFailure);
      }),
      log.channel.onDidChangeLogLevel(() => this.#applySettings().catch(this.#logFailure)),
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
    await this.#tellMenus().catch(this.#logFailure);
    if (this.#settings.autoStart) await this.#supervisor.start();
  }

  async #secretsChanged(change: SecretChange): Promise<void> {
    const tasks = [
      this.#supervisor.secretsChanged(change === 'apiKey'),
      this.#tellMenus(),
      this.#terminal.update(this.#settings.terminal, this.#supervisor.status),
    ];
    await Promise.all(tasks.map((task) => task.catch(this.#logFailure)));
  }

  /** The palette offers what can work. */
  async #tellMenus(): Promise<void> {
    const hasApiKey = (await this.#secrets.apiKey()) !== undefined;
    await vscode.commands.executeCommand('setContext', 'sealedProxy.hasApiKey', hasApiKey);
  }

  async #applySettings(): Promise<void> {
    const { settings, refusals } = validateSettings(readSettings(this.#log.channel.logLevel), this.#settings);
    this.#settings = settings;
    this.#tellRefusals(refusals);
    this.#chat.update(this.#supervisor.status);
    await this.#supervisor.settingsChanged();
    await this.#terminal.update(this.#settings.terminal, this.#supervisor.status);
  }

  /** Those that chat, as far as the backend is known. */
  #models(): readonly ModelChoice[] {
    const { status } = this.#supervisor;
    const catalogue = status.kind === 'running' && status.health.kind === 'connected' ? status.health.catalogue : {};
    return chatModels(catalogue, this.#settings.modelOverrides).map(choiceOf);
  }

  async #noteAnswer(id: string): Promise<void> {
    if (this.#assistants.wasCheck(id) || this.#asked) return;
    const own = await this.#secrets.findAccessKey(OWN_KEY_NAME, 'own');
    if (own?.id !== id) this.#noteAsked();
  }

  readonly #noteAsked = () => {
    if (this.#asked) return;
    this.#asked = true;
    void vscode.commands.executeCommand('setContext', 'sealedProxy.asked', true);
  };

  readonly #logFailure = (error: unknown) => {
    this.#log.channel.error(String(error));
  };

  /** Each once for as long as it stays wrong. */
  #tellRefusals(refusals: readonly Refusal[]): void {
    const before = this.#refused;
    this.#refused = new Map(refusals.map(({ setting, message }) => [setting, message]));
    for (const { setting, message } of refusals) {
      if (before.get(setting) === message) continue;
      const text = vscode.l10n.t('The setting {0} is not used: {1}', setting, message);
      void vscode.window.showErrorMessage(asNotice(text));
    }
  }

  #show(status: ProxyStatus): void {
    this.#statusBar.show(status);
    this.#chat.update(status);
    this.#statusChanged.fire(status);
    void vscode.commands.executeCommand('setContext', 'sealedProxy.state', status.kind);
    void vscode.commands.executeCommand('setContext', 'sealedProxy.verified', isVerified(status));
    this.#publish(status).catch(this.#logFailure);
    void this.#tell(status);
    this.#notices.statusChanged(status).catch(this.#logFailure);
  }

  /** For extensions that read settings, and for new terminals. */
  async #publish(status: ProxyStatus): Promise<void> {
    await Promise.all([this.#terminal.update(this.#settings.terminal, status), this.#publishUrl(status)]);
  }

  /** Written when it has changed; windows with ports of their own would otherwise overwrite each other for ever. */
  async #publishUrl(status: ProxyStatus): Promise<void> {
    const section = vscode.workspace.getConfiguration(SECTION);
    const written = section.get<string>('baseUrl');
    const url = baseUrlOf(status);
    const isStrangers = status.kind === 'portTaken' && written === `http://127.0.0.1:${status.port}/v1`;
    const next = isStrangers ? '' : url;
    if (next === undefined || next === this.#published) return;
    this.#published = next;
    if (next === written) return;
    try {
      await section.update('baseUrl', next === '' ? undefined : next, vscode.ConfigurationTarget.Global);
      if (next !== '' && this.#settings.proxy.port !== 0) await this.#notices.addressChanged();
    } catch (error) {
      this.#published = undefined;
      this.#log.channel.warn(`The setting sealedProxy.baseUrl could not be written: ${String(error)}`);
    }
  }

  /** The two things that a person has to know at once, each said once. */
  async #tell(status: ProxyStatus): Promise<void> {
    if (status.kind === 'running' || status.kind === 'off') this.#told = undefined;
    if (status.kind !== 'failed' && status.kind !== 'portTaken') return;
    if (status.kind === 'failed' && status.reason === 'setting') return; // told when it was refused
    const { summary } = describeStatus(status, vscode.l10n.t);
    const news = status.kind === 'portTaken' ? `port ${status.port}` : summary;
    if (news === this.#told) return;
    this.#told = news;
    const actions =
      status.kind === 'failed' ? (['showLog', 'restart'] as const) : (['useFreePort', 'openSettings'] as const);
    const answer = await vscode.window.showErrorMessage(asNotice(summary), ...actions.map(actionLabel));
    const action = actions.find((known) => actionLabel(known) === answer);
    if (action !== undefined) await vscode.commands.executeCommand(`sealedProxy.${action}`);
  }
}

function isVerified(status: ProxyStatus): boolean {
  return status.kind === 'running' && status.health.kind === 'connected' && status.verified?.kind === 'verified';
}
