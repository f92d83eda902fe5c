// The only reader of the editor's settings.
import * as vscode from 'vscode';
import { readEditorSettings } from '../settings/editorSettings.ts';
import type { Settings } from '../settings/editorSettings.ts';
import type { LogLevel } from '../settings/rules.ts';

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

/** The settings as the user wrote them: of any type, usable or not. */
export function readSettings(logLevel: vscode.LogLevel): Settings {
  const configuration = vscode.workspace.getConfiguration();
  return readEditorSettings((name) => configuration.get(name), LOG_LEVELS[logLevel]);
}
