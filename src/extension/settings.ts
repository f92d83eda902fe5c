// The one reader of all settings.
import * as vscode from 'vscode';
import type { NetworkSettings } from '../shared/messages.ts';
import type { Settings } from '../settings/validateSettings.ts';

export const SECTION = 'sealedProxy';

/** As the person wrote them: of any type, and good or not. */
export function readSettings(logLevel: vscode.LogLevel): Settings {
  const section = vscode.workspace.getConfiguration(SECTION);
  const get = <Value>(name: string, fallback: Value) => section.get<Value>(name) ?? fallback;
  return {
    autoStart: get('autoStart', true),
    checkInterval: get('checkInterval', 300),
    terminal: get('terminal.enabled', false),
    modelOverrides: get('modelOverrides', {}),
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
    network: readNetwork(),
  };
}

/** How the editor itself reaches the network: the child process does not inherit what the editor patches in. */
function readNetwork(): NetworkSettings {
  const http = vscode.workspace.getConfiguration('http');
  const proxy = http.get<string>('proxy') ?? '';
  const off = http.get<string>('proxySupport') === 'off';
  const listed = http.get<unknown>('noProxy');
  const noProxy = Array.isArray(listed) ? listed : [];
  return {
    ...(off ? { httpsProxy: '' } : proxy === '' ? {} : { httpsProxy: proxy }),
    ...(noProxy.length === 0 ? {} : { noProxy: noProxy.join(',') }),
    strictTls: http.get<unknown>('proxyStrictSSL') !== false,
    systemCertificates: http.get<unknown>('systemCertificates') !== false,
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
