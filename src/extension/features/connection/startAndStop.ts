// Starts, stops and moves the proxy.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { VERSION, compareVersions } from '../../../shared/version.ts';
import { ownPort } from '../../../supervisor/freePort.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands } from '../../core/runCommand.ts';
import { SECTION } from '../../core/settings.ts';
import type { UninstallRecordFile } from '../leave/uninstallRecordFile.ts';
import { ensureApiKey } from './askApiKey.ts';

export async function start(context: Core): Promise<void> {
  await context.sharedStop.start();
  await ensureApiKey(context, 'Sealed Proxy');
}

export async function stop({ supervisor }: Core): Promise<void> {
  await supervisor.stop();
  const message =
    'Sealed Proxy is off in this window. If other windows are open, one of them starts it again within seconds.';
  void offerCommands(vscode.window.showInformationMessage, message, 'stopAll');
}

export async function stopAll({ sharedStop }: Core): Promise<void> {
  await sharedStop.stopAll();
  const message =
    'Sealed Proxy is off in all windows of this editor. It stays off, even after you restart the editor, until ' +
    'you start it in one of them.';
  void offerCommands(vscode.window.showInformationMessage, message, 'start');
}

export async function restart({ sharedStop, supervisor }: Core): Promise<void> {
  await sharedStop.start('restart');
  const { status } = supervisor;
  if (status.kind !== 'running' || compareVersions(status.version, VERSION) <= 0) return;
  const message =
    `Another window runs Sealed Proxy ${status.version}, which is newer than this window's ${VERSION}. Restart it in ` +
    'that window, or reload this window to use the new version here too.';
  void offerCommands(vscode.window.showInformationMessage, message, 'reloadWindow');
}

/** Writes the setting; the proxy follows it. The port depends on the editor, so each keeps the one it once had. */
export async function useFreePort(record: UninstallRecordFile): Promise<void> {
  const { appName, machineId, remoteName = '' } = vscode.env;
  const port = await ownPort([appName, machineId, remoteName, homedir()].join('\0'));
  await record.addPort(port);
  await vscode.workspace.getConfiguration(SECTION).update('port', port, vscode.ConfigurationTarget.Global);
}
