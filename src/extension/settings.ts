// The only reader of the editor's settings.
import * as vscode from 'vscode';
import { readEditorSettings } from '../settings/editorSettings.ts';
import type { Settings } from '../settings/editorSettings.ts';
import type { LogLevel } from '../settings/rules.ts';

export const SECTION = 'sealedProxy';

/** The settings as the user wrote them: of any type, usable or not. */
export function readSettings(logLevel: vscode.LogLevel): Settings {
  return readEditorSettings(readerOf(SECTION), readerOf('http'), proxyLogLevel(logLevel));
}

function readerOf(section: string): (name: string) => unknown {
  const configuration = vscode.workspace.getConfiguration(section);
  return (name) => configuration.get(name);
}

/** The level of the proxy's log that matches the level of the log channel. */
export function proxyLogLevel(level: vscode.LogLevel): LogLevel {
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
