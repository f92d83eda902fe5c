import * as vscode from 'vscode';
import { asObject, parseJson } from '../../shared/json.ts';

const LEVELS = ['error', 'warn', 'debug', 'trace'] as const;

/** The log channel of the extension, which also shows the log of the proxy. */
export class ChannelLog implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel('Sealed Proxy', { log: true });

  /** Writes one line of the proxy's log: JSON with its level, or else any text. */
  proxyLine(line: string): void {
    const { level, event, ...fields } = asObject(parseJson(line)) ?? { event: line };
    const values = Object.entries(fields).filter(([name]) => name !== 'time'); // the channel adds its own
    const text = [String(event), ...values.map(([name, value]) => `${name}=${String(value)}`)].join(' ');
    this.channel[LEVELS.find((known) => known === level) ?? 'info'](text);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
