// The only reader of the editor's settings.
import * as vscode from 'vscode';
import { readEditorSettings } from '../../settings/editorSettings.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import type { ConfigError } from '../../settings/proxyConfig.ts';
import type { LogLevel } from '../../settings/rules.ts';
import { startSettings, validateSettings } from '../../settings/validateSettings.ts';

export const SECTION = 'sealedProxy';

/** The levels of the proxy's log, by the level of the log channel. */
const LOG_LEVELS: Readonly<Record<vscode.LogLevel, LogLevel>> = {
  [vscode.LogLevel.Off]: 'error',
  [vscode.LogLevel.Trace]: 'trace',
  [vscode.LogLevel.Debug]: 'debug',
  [vscode.LogLevel.Info]: 'info',
  [vscode.LogLevel.Warning]: 'warn',
  [vscode.LogLevel.Error]: 'error',
};

export interface SettingsChange {
  readonly before: Settings;
  /** The settings that cannot be used, and so keep their values. */
  readonly problems: readonly ConfigError[];
}

/** The settings in use. */
export class CurrentSettings implements vscode.Disposable {
  readonly #channel: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<SettingsChange>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  #current: Settings;

  /** @param channel its level is that of the proxy's log */
  constructor(channel: vscode.LogOutputChannel) {
    this.#channel = channel;
    this.#current = startSettings(this.#read());
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION) || event.affectsConfiguration('http')) this.#update();
      }),
      channel.onDidChangeLogLevel(() => {
        this.#update();
      }),
    );
  }

  get current(): Settings {
    return this.#current;
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    const before = this.#current;
    const { settings, problems } = validateSettings(this.#read(), before);
    this.#current = settings;
    this.#changed.fire({ before, problems });
  }

  /** The settings as the user wrote them: of any type, usable or not. */
  #read(): Settings {
    const configuration = vscode.workspace.getConfiguration();
    return readEditorSettings((name) => configuration.get(name), LOG_LEVELS[this.#channel.logLevel]);
  }
}
