// Notifications about failures that the user must act on. Each is shown once, until it is over. The editor lets no
// extension close a notification: the buttons of one whose failure is over change nothing.
import * as vscode from 'vscode';
import { COMMANDS } from '../../../presentation/commands.ts';
import { describeStatus, summaryOf } from '../../../presentation/statusText.ts';
import type { ConfigError } from '../../../settings/proxyConfig.ts';
import { asNotice } from '../../../shared/escape.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { offerCommands } from '../../core/runCommand.ts';

export class FailureNotices {
  /** The failure that was shown last. */
  #shown: string | undefined;
  #status: ProxyStatus = { kind: 'off' };
  /** The messages about settings that are wrong now. */
  #refused: ReadonlySet<string> = new Set();

  /** Shows that the proxy cannot start. */
  async statusChanged(status: ProxyStatus): Promise<void> {
    this.#status = status;
    if (status.kind === 'running' || status.kind === 'off') this.#shown = undefined;
    if (status.kind !== 'failed' && status.kind !== 'portTaken') return;
    if (status.kind === 'failed' && status.reason === 'setting') return; // settingsRefused() has shown it
    const message = summaryOf(describeStatus(status));
    // A program on the port may respond to one probe and not to the next.
    const failure = status.kind === 'portTaken' ? `port ${status.port}` : message;
    if (failure === this.#shown) return;
    this.#shown = failure;
    const commands =
      status.kind === 'failed' ? (['showLog', 'restart'] as const) : (['useFreePort', 'restart'] as const);
    const show = async (text: string, ...buttons: string[]) => {
      const answer = await vscode.window.showErrorMessage(text, ...buttons);
      if (answer === undefined || answer === COMMANDS.showLog.title || this.#shown === failure) return answer;
      const now = summaryOf(describeStatus(this.#status));
      void vscode.window.showInformationMessage(asNotice(`This problem is over. ${now}`));
      return undefined;
    };
    await offerCommands(show, asNotice(message), ...commands);
  }

  /** Shows the settings that cannot be used, given all that are wrong now. */
  async settingsRefused(problems: readonly ConfigError[]): Promise<void> {
    const before = this.#refused;
    this.#refused = new Set(problems.map(({ editorMessage }) => `The setting ${editorMessage}.`));
    const added = [...this.#refused].filter((message) => !before.has(message));
    await Promise.all(
      added.map((message) => offerCommands(vscode.window.showErrorMessage, asNotice(message), 'openSettings')),
    );
  }
}
