// Everything of one window, composed: settings, secrets, supervisor, views and commands.
import * as vscode from 'vscode';
import type { AssistantService } from '../assistants/assistantService.ts';
import { ChatSettings } from '../assistants/chatSettings.ts';
import { choiceOf } from '../assistants/modelChoice.ts';
import type { ModelChoice } from '../assistants/types.ts';
import { undoEntries } from '../assistants/undoStore.ts';
import { chatModels } from '../chat/models.ts';
import { MachineStore } from '../keys/machineStore.ts';
import { Secrets } from '../keys/secrets.ts';
import type { SecretChange } from '../keys/secrets.ts';
import { isAttested } from '../settings/rules.ts';
import { startSettings, validateSettings } from '../settings/validateSettings.ts';
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { SharedStop } from '../supervisor/sharedStop.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { PublicApi } from './api/api.ts';
import type { SealedProxyApi } from './api/apiTypes.ts';
import { AssistantJudgements } from './assistantJudgements.ts';
import { BaseUrlSetting } from './baseUrlSetting.ts';
import { requestApiKey } from './commands/askApiKey.ts';
import type { CommandContext } from './commands/commandContext.ts';
import { registerCommands } from './commands/registerCommands.ts';
import { createAssistantService, userSettings } from './editorAssistants.ts';
import { findEditorProxy } from './editorProxy.ts';
import { EnclaveImages } from './enclaveImages.ts';
import { FirstChat } from './firstChat.ts';
import { ChatProvider } from './languageModel/chatProvider.ts';
import { SidePrompts } from './languageModel/sidePrompts.ts';
import { ChannelLog } from './log.ts';
import { removalSteps } from './removalSteps.ts';
import { SECTION, readSettings } from './settings.ts';
import { settingsFiles } from './settingsFiles.ts';
import { TerminalEnvironment } from './terminal.ts';
import { UninstallRecordFile } from './uninstallRecordFile.ts';
import { UsageRecorder } from './usageRecorder.ts';
import { AssistantNotices } from './views/assistantNotices.ts';
import { setContextKey, setStatusKeys } from './views/contextKeys.ts';
import { Dashboard } from './views/dashboard.ts';
import { Documents } from './views/documents.ts';
import { FailureNotices } from './views/failureNotices.ts';
import { reportIgnoredSettings } from './views/ignoredSettings.ts';
import { StatusBar } from './views/statusBar.ts';

/** When a window gets the focus, a connection check that is older than this is repeated. In milliseconds. */
const STALE = 5 * 60_000;

export class SealedProxyExtension {
  readonly #log = new ChannelLog();
  readonly #isAttested = () => isAttested(this.#settings.proxy.backendUrl);
  readonly #sidePrompts = new SidePrompts(this.#isAttested, (error) => {
    this.#logFailure(error);
  });
  readonly #statusBar = new StatusBar(
    () => this.#settings['statusBar.compact'],
    () => this.#sidePrompts.known,
  );
  readonly #statusChanged = new vscode.EventEmitter<ProxyStatus>();
  readonly #failureNotices = new FailureNotices();
  readonly #images: EnclaveImages;
  #baseUrlSetting = new BaseUrlSetting();
  readonly #documents = new Documents();
  readonly #secrets: Secrets;
  readonly #supervisor: Supervisor;
  readonly #sharedStop: SharedStop;
  readonly #terminal: TerminalEnvironment;
  readonly #chat: ChatProvider;
  readonly #assistants: AssistantService;
  readonly #assistantNotices: AssistantNotices;
  readonly #firstChat: FirstChat;
  readonly #uninstallRecord: UninstallRecordFile;
  readonly #chatSettings: ChatSettings;
  readonly #usage: UsageRecorder;
  #settings = startSettings(readSettings(this.#log.channel.logLevel));

  constructor(context: vscode.ExtensionContext) {
    const { extensionPath, globalStorageUri, globalState, secrets, environmentVariableCollection } = context;
    this.#secrets = new Secrets(secrets, new MachineStore(globalStorageUri.fsPath));
    this.#usage = new UsageRecorder(globalStorageUri.fsPath, this.#secrets, () => this.#settings, this.#log);
    this.#terminal = new TerminalEnvironment(environmentVariableCollection, this.#secrets);
    const folder = globalStorageUri.fsPath;
    const readSecrets = () => this.#secrets.forProxy();
    this.#images = new EnclaveImages(folder, () => [this.#settings, this.#supervisor], this.#logFailure);
    this.#supervisor = new Supervisor({
      module: vscode.Uri.joinPath(vscode.Uri.file(extensionPath), 'dist', 'proxy.js').fsPath,
      cwd: folder,
      version: VERSION,
      settings: () => this.#settings.proxy,
      network: () => this.#settings.network,
      images: () => this.#images.rules(),
      findProxy: (url) => findEditorProxy(url, this.#settings.network),
      checkInterval: () => this.#settings.checkInterval * 1000,
      secrets: readSecrets,
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
      onUsage: this.#usage.record,
      onRefused: (problems) => {
        this.#failureNotices.settingsRefused(problems);
      },
    });
    this.#sharedStop = new SharedStop(folder, readSecrets, this.#supervisor, this.#logFailure);
    this.#assistants = createAssistantService(globalStorageUri, {
      supervisor: this.#supervisor,
      secrets: this.#secrets,
      models: () => this.#models(),
      onChange: () => {
        this.#uninstallRecord.update().catch(this.#logFailure);
      },
    });
    this.#uninstallRecord = new UninstallRecordFile(context, this.#assistants);
    this.#chatSettings = new ChatSettings(userSettings, settingsFiles(globalStorageUri), undoEntries(this.#secrets));
    this.#assistantNotices = new AssistantNotices(this.#assistants, globalState);
    this.#firstChat = new FirstChat(this.#assistants, this.#secrets);
    this.#chat = new ChatProvider({
      supervisor: this.#supervisor,
      overrides: () => this.#settings.modelOverrides,
      attested: this.#isAttested,
      memory: globalState,
      onSetUp: () => {
        requestApiKey(this.#supervisor.status, this.#secrets).catch(this.#logFailure);
      },
      onAnswered: () => {
        this.#firstChat.complete().catch(this.#logFailure);
      },
      onFailure: this.#logFailure,
    });
    this.#applyStatus(this.#supervisor.status);
  }

  /** Registers everything. The proxy starts in the background: the editor does not wait for it. */
  begin(context: vscode.ExtensionContext): SealedProxyApi {
    const api = new PublicApi(this.#supervisor, this.#secrets, this.#statusChanged.event);
    const commands: CommandContext = {
      supervisor: this.#supervisor,
      sharedStop: this.#sharedStop,
      secrets: this.#secrets,
      log: this.#log,
      api,
      documents: this.#documents,
      images: this.#images,
      showDashboard: (section) => {
        dashboard.show(section);
      },
      assistants: this.#assistants,
      usageHistory: this.#usage.history,
      sidePrompts: this.#sidePrompts,
      chatSettings: this.#chatSettings,
      uninstallRecord: this.#uninstallRecord,
      settings: () => this.#settings,
      models: () => this.#models(),
      catalogue: () => this.#chat.catalogue,
      removal: removalSteps({
        context,
        assistants: this.#assistants,
        secrets: this.#secrets,
        stop: () => this.#removed(),
        changedSettings: this.#chatSettings,
      }),
    };
    const dashboard = new Dashboard(context.extensionUri, commands, this.#statusChanged.event);
    context.subscriptions.push(
      dashboard,
      this.#log,
      this.#secrets,
      this.#documents,
      this.#statusBar,
      this.#sidePrompts,
      this.#statusChanged,
      this.#chat,
      this.#sharedStop,
      this.#images,
      new AssistantJudgements(this.#assistantNotices, this.#statusChanged.event, this.#logFailure),
      registerCommands(commands),
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
    reportIgnoredSettings(context, (message) => {
      this.#log.channel.warn(message);
    }).catch(this.#logFailure);
    return api.forExtensions();
  }

  async end(): Promise<void> {
    await this.#supervisor.end();
    await this.#usage.history.settled();
  }

  async #start(): Promise<void> {
    await this.#secrets.watch().catch((error: unknown) => {
      this.#log.channel.error(`The storage folder of the extension cannot be used: ${String(error)}`);
    }); // it has created the folder, which the proxy needs as well
    await this.#assistants.claim().catch(this.#logFailure);
    await this.#updateHasApiKey().catch(this.#logFailure);
    await this.#uninstallRecord.update().catch(this.#logFailure);
    await this.#images.load();
    await this.#sharedStop.begin(this.#settings.autoStart).catch(this.#logFailure);
  }

  async #secretsChanged(change: SecretChange): Promise<void> {
    if (change === 'removed') await this.#removed().catch(this.#logFailure);
    const tasks = [
      this.#supervisor.secretsChanged(change === 'apiKey'),
      this.#updateHasApiKey(),
      this.#updateTerminal(this.#supervisor.status),
    ];
    await Promise.all(tasks.map((task) => task.catch(this.#logFailure)));
  }

  /** All data is being removed, in this window or in another one. */
  async #removed(): Promise<void> {
    await this.#chat.forget();
    await this.#supervisor.stop();
    await this.#usage.history.erase().catch(this.#logFailure); // also what the proxy has not sent yet
    this.#baseUrlSetting = new BaseUrlSetting(); // the address is written again after a new start
    await this.#uninstallRecord.delete();
  }

  async #applySettings(): Promise<void> {
    const { settings, problems } = validateSettings(readSettings(this.#log.channel.logLevel), this.#settings);
    const isFreed = this.#settings.confirmNewImages && !settings.confirmNewImages; // an image that waits is used now
    this.#settings = settings;
    this.#failureNotices.settingsRefused(problems);
    this.#statusBar.show(this.#supervisor.status);
    this.#chat.update(this.#supervisor.status);
    await this.#images.load();
    await this.#supervisor.settingsChanged();
    if (isFreed) this.#supervisor.check().catch(this.#logFailure);
    await this.#updateTerminal(this.#supervisor.status);
  }

  /** Updates everything that depends on the status. */
  #applyStatus(status: ProxyStatus): void {
    this.#statusBar.show(status);
    this.#chat.update(status);
    this.#statusChanged.fire(status);
    if (status.kind === 'starting') this.#sharedStop.follow().catch(this.#logFailure);
    const tasks = [
      setStatusKeys(status),
      this.#updateTerminal(status),
      this.#publishBaseUrl(status),
      this.#failureNotices.statusChanged(status),
      this.#assistantNotices.statusChanged(status),
      this.#images.look(),
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
    const hasApiKey = (await this.#secrets.apiKey()) !== undefined;
    this.#chat.updateHasApiKey(hasApiKey);
    await setContextKey('hasApiKey', hasApiKey);
  }

  /** The chat models that the backend offers, while it is connected. */
  #models(): readonly ModelChoice[] {
    const { status } = this.#supervisor;
    if (!isConnected(status)) return [];
    return chatModels(status.health.catalogue, this.#settings.modelOverrides).map(choiceOf);
  }

  readonly #logFailure = (error: unknown) => {
    this.#log.channel.error(String(error));
  };
}
