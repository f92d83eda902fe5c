import * as vscode from 'vscode';

/** The log channel. The proxy's own lines are JSON and arrive with their level. */
export class ChannelLog implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel('Sealed Proxy', { log: true });

  /** One line of the proxy's log. */
  proxyLine(line: string): void {
    const { level, event, ...fields } = parse(line);
    const text = `${String(event)} ${Object.entries(fields)
      .filter(([name]) => name !== 'time') // the channel writes its own
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' ')}`;
    switch (level) {
      case 'error':
        this.channel.error(text);
        break;
      case 'warn':
        this.channel.warn(text);
        break;
      case 'debug':
        this.channel.debug(text);
        break;
      case 'trace':
        this.channel.trace(text);
        break;
      default:
        this.channel.info(text);
    }
  }

  dispose(): void {
    this.channel.dispose();
  }
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(line) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // not of the proxy's log: said as it is
  }
  return { level: 'info', event: line };
}
