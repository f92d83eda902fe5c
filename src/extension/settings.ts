// The one reader of all settings.
import * as vscode from 'vscode';
import type { NetworkSettings } from '../shared/messages.ts';
import type { CompleteSettings } from './supervisor.ts';

export const SECTION = 'sealedProxy';

/** As the person set them; whether they can be used, the proxy says. */
export interface Settings {
  readonly autoStart: boolean;
  readonly checkIntervalMs: number;
  readonly terminal: boolean;
  readonly proxy: CompleteSettings;
}

export function readSettings(logLevel: vscode.LogLevel): Settings {
  const section = vscode.workspace.getConfiguration(SECTION);
  const get = <Value>(name: string, fallback: Value) => section.get<Value>(name) ?? fallback;
  return {
    autoStart: get('autoStart', true),
    checkIntervalMs: Math.max(0, get('checkInterval', 300)) * 1000,
    terminal: get('terminal.enabled', false),
    proxy: {
      port: get('port', 14114),
      backendUrl: get('backendUrl', 'https://enclave.trymaple.ai'),
      pcr0Environment: get('pcr0Environment', 'production'),
      additionalPcr0: get<readonly string[]>('additionalPcr0', []),
      requestTimeoutSeconds: get('requestTimeoutSeconds', 300),
      streamIdleTimeoutSeconds: get('streamIdleTimeoutSeconds', 300),
      allowedOrigins: get<readonly string[]>('allowedOrigins', ['vscode-webview://*', 'vscode-file://*']),
      logLevel: proxyLogLevel(logLevel),
    },
  };
}

/** How the editor itself reaches the network: the child process does not inherit what the editor patches in. */
export function readNetwork(): NetworkSettings {
  const http = vscode.workspace.getConfiguration('http');
  const proxy = http.get<string>('proxy') ?? '';
  const off = http.get<string>('proxySupport') === 'off';
  const noProxy = http.get<readonly string[]>('noProxy') ?? [];
  return {
    ...(off ? { httpsProxy: '' } : proxy === '' ? {} : { httpsProxy: proxy }),
    ...(noProxy.length === 0 ? {} : { noProxy: noProxy.join(',') }),
    strictTls: http.get<boolean>('proxyStrictSSL') ?? true,
    systemCertificates: http.get<boolean>('systemCertificates') ?? true,
  };
}

/** The proxy's log is as detailed as the log channel asks for. */
export function proxyLogLevel(level: vscode.LogLevel): string {
  switch (level) {
    case vscode.LogLevel.Trace:
      return 'trace';
    case vscode.LogLevel.Debug:
      return 'debug';
    case vscode.LogLevel.Warning:
      return 'warn';
    case vscode.LogLevel.Error:
    case vscode.LogLevel.Off:
      return 'error';
    case vscode.LogLevel.Info:
      return 'info';
  }
}
