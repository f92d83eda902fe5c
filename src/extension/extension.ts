// Everything of one window, composed: settings, secrets, supervisor, views and commands.
import * as vscode from 'vscode';
import { AssistantService, choiceOf } from '../assistants/assistantService.ts';
import { ChatSettings } from '../assistants/chatSettings.ts';
import { allAssistants } from '../assistants/registry.ts';
import type { ModelChoice } from '../assistants/types.ts';
import { chatModels } from '../chat/models.ts';
import { MachineStore } from '../keys/machineStore.ts';
import { Secrets } from '../keys/secrets.ts';
import type { SecretChange } from '../keys/secrets.ts';
import { startSettings, validateSettings } from '../settings/validateSettings.ts';
import { baseUrlOf } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { PublicApi } from './api/api.ts';
import type { SealedProxyApi } from './api/apiTypes.ts';
import { BaseUrlSetting } from './baseUrlSetting.ts';
import { registerCommands } from './commands/registerCommands.ts';
import { endpointList, userSettings } from './editorAssistants.ts';
import { FirstChat } from './firstChat.ts';
import { ChatProvider } from './languageModel/chatProvider.ts';
import { SidePrompts } from './languageModel/sidePrompts.ts';
import { ChannelLog } from './log.ts';
import { SECTION, readSettings } from './settings.ts';
import { settingsFiles } from './settingsFiles.ts';
import { TerminalEnvironment } from './terminal.ts';
import { AssistantNotices } from './views/assistantNotices.ts';
import { setContextKey } from './views/contextKeys.ts';
import { Documents } from './views/documents.ts';
import { FailureNotices } from './views/failureNotices.ts';
import { StatusBar } from './views/statusBar.ts';

/** When a window gets the focus, a connection check that is older than this is repeated. In milliseconds. */
const STALE = 5 * 60_000;

export class SealedProxyExtension {
  readonly #log = new ChannelLog();
  readonly #sidePrompts = new SidePrompts(
    () => new URL(this.#settings.proxy.backendUrl).protocol === 'https:',
    (error) => {
      this.#logFailure(error);
    },
  );
  readonly #statusBar = new StatusBar(
    () => this.#settings['statusBar.compact'],
    () => this.#sidePrompts.known,
  );
  readonly #statusChanged = new vscode.EventEmitter<ProxyStatus>();
  readonly #failureNotices = new FailureNotices();
  readonly #baseUrlSetting = new BaseUrlSetting();
  readonly #documents = new Documents();
  readonly #secrets: Secrets;
  readonly #supervisor: Supervisor;
  readonly #terminal: TerminalEnvironment;
  readonly #chat: ChatProvider;
  readonly #assistants: AssistantService;
  readonly #assistantNotices: AssistantNotices;
  readonly #firstChat: FirstChat;
  readonly #chatSettings: ChatSettings;
  #settings = startSettings(readSettings(this.#log.channel.logLevel));

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
        this.#applyStatus(status);
      },
      onLog: (line) => {
        this.#log.proxyLine(line);
      },
      onKeyUsed: (id) => {
        this.#secrets.noteUse(id).catch(this.#logFailure);
      },
      onChatAnswered: (id) => {
        this.#firstChat.answered(id).catch(this.#logFailure);
      },
      onRefused: (problems) => {
        this.#failureNotices.settingsRefused(problems);
      },
    });
    this.#assistants = new AssistantService({
      supervisor: this.#supervisor,
      secrets: this.#secrets,
      assistants: allAssistants(userSettings, endpointList(this.#secrets)),
      baseUrl: () => baseUrlOf(this.#supervisor.status),
      models: () => this.#models(),
      isInstalled: (id) => vscode.extensions.getExtension(id) !== undefined,
    });
    this.#chatSettings = new ChatSettings(userSettings, settingsFiles(globalStorageUri), this.#secrets);
    this.#assistantNotices = new AssistantNotices(this.#assistants);
    this.#firstChat = new FirstChat(this.#assistants, this.#secrets);
    this.#chat = new ChatProvider(
      this.#supervisor,
      () => this.#settings.modelOverrides,
      () => {
        this.#firstChat.complete().catch(this.#logFailure);
      },
    );
    this.#applyStatus(this.#supervisor.status);
  }

  /** Registers everything. The proxy starts in the background: the editor does not wait for it. */
  begin({ subscriptions }: vscode.ExtensionContext): SealedProxyApi {
    const api = new PublicApi(this.#supervisor, this.#secrets, this.#statusChanged.event);
    subscriptions.push(
      this.#log,
      this.#secrets,
      this.#documents,
      this.#statusBar,
      this.#sidePrompts,
      this.#statusChanged,
      this.#chat,
      registerCommands({
        supervisor: this.#supervisor,
        secrets: this.#secrets,
        log: this.#log,
        api,
        documents: this.#documents,
        assistants: this.#assistants,
        sidePrompts: this.#sidePrompts,
        chatSettings: this.#chatSettings,
        settings: () => this.#settings,
        models: () => this.#models(),
      }),
      this.#sidePrompts.onDidChange(() => {
        this.#statusBar.show(this.#supervisor.status);
      }),
      this.#secrets.onDidChange((change) => {
        void this.#secretsChanged(change);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('http'))
          this.#applySettings().catch(this.#logFailure);
      }),
      this.#log.channel.onDidChangeLogLevel(() => this.#applySettings().catch(this.#logFailure)),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#supervisor.checkIfOlder(STALE);
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
      await this.#secrets.watch(); // creates the folder, which the proxy needs as well
    } catch (error) {
      this.#log.channel.error(`The storage folder of the extension cannot be used: ${String(error)}`);
    }
    await this.#updateHasApiKey().catch(this.#logFailure);
    if (this.#settings.autoStart) await this.#supervisor.start();
  }

  async #secretsChanged(change: SecretChange): Promise<void> {
    const tasks = [
      this.#supervisor.secretsChanged(change === 'apiKey'),
      this.#updateHasApiKey(),
      this.#updateTerminal(this.#supervisor.status),
    ];
    await Promise.all(tasks.map((task) => task.catch(this.#logFailure)));
  }

  async #applySettings(): Promise<void> {
    const { settings, problems } = validateSettings(readSettings(this.#log.channel.logLevel), this.#settings);
    this.#settings = settings;
    this.#failureNotices.settingsRefused(problems);
    this.#statusBar.show(this.#supervisor.status);
    this.#chat.update(this.#supervisor.status);
    await this.#supervisor.settingsChanged();
    await this.#updateTerminal(this.#supervisor.status);
  }

  /** Updates everything that depends on the status. */
  #applyStatus(status: ProxyStatus): void {
    this.#statusBar.show(status);
    this.#chat.update(status);
    this.#statusChanged.fire(status);
    const tasks = [
      setContextKey('state', status.kind),
      setContextKey('verified', isVerified(status)),
      this.#updateTerminal(status),
      this.#publishBaseUrl(status),
      this.#failureNotices.statusChanged(status),
      this.#assistantNotices.statusChanged(status),
    ];
    for (const task of tasks) task.catch(this.#logFailure);
  }

  async #publishBaseUrl(status: ProxyStatus): Promise<void> {
    const isNew = await this.#baseUrlSetting.update(status);
    if (isNew && this.#settings.proxy.port !== 0) await this.#assistantNotices.addressChanged();
  }

  async #updateTerminal(status: ProxyStatus): Promise<void> {
    await this.#terminal.update(this.#settings['terminal.enabled'], status);
  }

  async #updateHasApiKey(): Promise<void> {
    await setContextKey('hasApiKey', (await this.#secrets.apiKey()) !== undefined);
  }

  /** The chat models that the backend offers, while it is connected. */
  #models(): readonly ModelChoice[] {
    const { status } = this.#supervisor;
    const catalogue = status.kind === 'running' && status.health.kind === 'connected' ? status.health.catalogue : {};
    return chatModels(catalogue, this.#settings.modelOverrides).map(choiceOf);
  }

  readonly #logFailure = (error: unknown) => {
    this.#log.channel.error(String(error));
  };
}

function isVerified(status: ProxyStatus): boolean {
  return status.kind === 'running' && status.health.kind === 'connected' && status.verified?.kind === 'verified';
}
