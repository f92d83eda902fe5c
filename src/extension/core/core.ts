// What every feature is given: settings, secrets, the supervisor and their events.
import * as vscode from 'vscode';
import { MachineStore } from '../../keys/machineStore.ts';
import { Secrets } from '../../keys/secrets.ts';
import type { SecretChange } from '../../keys/secrets.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import type { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import { VERSION } from '../../shared/version.ts';
import { SharedStop } from '../../supervisor/sharedStop.ts';
import { Supervisor } from '../../supervisor/supervisor.ts';
import type { SupervisorHost } from '../../supervisor/supervisorHost.ts';
import { Documents } from './documents.ts';
import { findEditorProxy } from './editorProxy.ts';
import { KnownImages } from './knownImages.ts';
import { ChannelLog } from './log.ts';
import { CurrentSettings } from './settings.ts';
import type { SettingsChange } from './settings.ts';

/** When a window gets the focus, a connection check that is older than this is repeated. In milliseconds. */
const STALE = 5 * 60_000;

type Usage = Parameters<SupervisorHost['onUsage']>[0];

export class Core {
  readonly context: vscode.ExtensionContext;
  readonly log = new ChannelLog();
  readonly documents = new Documents();
  readonly secrets: Secrets;
  readonly images: KnownImages;
  readonly supervisor: Supervisor;
  readonly sharedStop: SharedStop;
  readonly #settings = new CurrentSettings(this.log.channel);
  readonly #events = {
    status: new vscode.EventEmitter<ProxyStatus>(),
    statusOrSettings: new vscode.EventEmitter<ProxyStatus>(),
    refused: new vscode.EventEmitter<readonly ConfigError[]>(),
    hasApiKey: new vscode.EventEmitter<boolean>(),
    chatAnswered: new vscode.EventEmitter<string>(),
    usage: new vscode.EventEmitter<Usage>(),
  };
  /** The first time, it tells the status in which the window opens. */
  readonly onStatus = this.#events.status.event;
  /** The status or a setting has changed. */
  readonly onStatusOrSettings = this.#events.statusOrSettings.event;
  /** The settings that cannot be used, after each change of the settings and at a start that fails because of them. */
  readonly onRefused = this.#events.refused.event;
  /** Whether there is an API key, after each change of the secrets. */
  readonly onHasApiKey = this.#events.hasApiKey.event;
  /** This window's proxy has answered a chat that used the access key with this ID. */
  readonly onChatAnswered = this.#events.chatAnswered.event;
  readonly onUsage = this.#events.usage.event;
  readonly #removals: (() => Promise<void>)[] = [];

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    const folder = context.globalStorageUri.fsPath;
    this.secrets = new Secrets(context.secrets, new MachineStore(folder));
    this.images = new KnownImages(folder, this.settings, this.logFailure);
    const readSecrets = () => this.secrets.forProxy();
    this.supervisor = new Supervisor(this.#supervisorHost(readSecrets));
    this.sharedStop = new SharedStop(folder, readSecrets, this.supervisor, this.logFailure);
    this.#subscribe();
  }

  readonly settings = (): Settings => this.#settings.current;

  readonly logFailure = (error: unknown): void => {
    this.log.channel.error(String(error));
  };

  /** Runs a task to whose end nobody waits: its failure is logged. */
  readonly inBackground = (task: PromiseLike<unknown>): void => {
    task.then(undefined, this.logFailure);
  };

  /** What to do when all data is removed, in this window or in another one. */
  whenRemoved(act: () => Promise<void>): void {
    this.#removals.push(act);
  }

  /** Tells the status in which the window opens. */
  begin(): void {
    this.#showStatus(this.supervisor.status);
  }

  /** Starts the proxy, after these tasks. The editor does not wait for it. */
  async start(...tasks: readonly (() => Promise<void>)[]): Promise<void> {
    await this.secrets.watch().catch((error: unknown) => {
      this.log.channel.error(`The storage folder of the extension cannot be used: ${String(error)}`);
    }); // it has created the folder, which the proxy needs as well
    for (const run of [() => this.#tellHasApiKey(), ...tasks]) await run().catch(this.logFailure);
    await this.images.load();
    await this.sharedStop.begin(this.settings().autoStart).catch(this.logFailure);
  }

  #supervisorHost(secrets: SupervisorHost['secrets']): SupervisorHost {
    const { context, settings, secrets: stored, log, images } = this;
    const { chatAnswered, usage, refused } = this.#events;
    return {
      module: vscode.Uri.joinPath(vscode.Uri.file(context.extensionPath), 'dist', 'proxy.js').fsPath,
      cwd: context.globalStorageUri.fsPath,
      version: VERSION,
      settings: () => settings().proxy,
      network: () => settings().network,
      images: () => images.rules(),
      findProxy: (url) => findEditorProxy(url, settings().network),
      checkInterval: () => settings().checkInterval * 1000,
      secrets,
      onStatus: (status) => {
        this.#showStatus(status);
      },
      onLog: (line) => {
        log.proxyLine(line);
      },
      onKeyUsed: (id) => {
        this.inBackground(stored.noteUse(id));
      },
      onChatAnswered: (id) => {
        chatAnswered.fire(id);
      },
      onUsage: (sums) => {
        usage.fire(sums);
      },
      onRefused: (problems) => {
        refused.fire(problems);
      },
    };
  }

  #subscribe(): void {
    this.context.subscriptions.push(
      this.log,
      this.#settings,
      this.secrets,
      this.images,
      this.sharedStop,
      this.documents,
      ...Object.values(this.#events),
      this.secrets.onDidChange((change) => {
        this.inBackground(this.#secretsChanged(change));
      }),
      this.#settings.onDidChange((change) => {
        this.inBackground(this.#settingsChanged(change));
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.supervisor.checkIfOlder(STALE);
      }),
    );
  }

  #showStatus(status: ProxyStatus): void {
    this.#events.statusOrSettings.fire(status);
    this.#events.status.fire(status);
    if (status.kind === 'starting') this.inBackground(this.sharedStop.follow());
  }

  async #secretsChanged(change: SecretChange): Promise<void> {
    if (change === 'removed') for (const act of this.#removals) await act().catch(this.logFailure);
    this.inBackground(this.supervisor.secretsChanged(change === 'apiKey'));
    this.inBackground(this.#tellHasApiKey());
  }

  async #tellHasApiKey(): Promise<void> {
    this.#events.hasApiKey.fire((await this.secrets.apiKey()) !== undefined);
  }

  async #settingsChanged({ before, problems }: SettingsChange): Promise<void> {
    const isFreed = before.confirmNewImages && !this.settings().confirmNewImages; // an image that waits is used now
    this.#events.refused.fire(problems);
    this.#events.statusOrSettings.fire(this.supervisor.status);
    await this.images.load();
    await this.supervisor.settingsChanged();
    if (isFreed) await this.supervisor.check();
  }
}
