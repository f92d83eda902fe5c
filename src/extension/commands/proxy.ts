// Starts, stops and moves the proxy.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { compareVersions } from '../../shared/compareVersions.ts';
import { VERSION } from '../../shared/version.ts';
import { ownPort } from '../../supervisor/freePort.ts';
import { SECTION } from '../settings.ts';
import { ensureApiKey } from './askApiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { offerCommands } from './runCommand.ts';

export const proxyCommands = {
  start,
  stop,
  stopAll,
  restart,
  useFreePort,
  reloadWindow: () => vscode.commands.executeCommand('workbench.action.reloadWindow'),
} satisfies CommandGroup;

async function start(context: CommandContext): Promise<void> {
  await context.sharedStop.start();
  await ensureApiKey(context, 'Sealed Proxy');
}

async function stop({ supervisor }: CommandContext): Promise<void> {
  await supervisor.stop();
  const message =
    'Sealed Proxy is off in this window. If other windows are open, one of them starts it again within seconds.';
  void offerCommands(vscode.window.showInformationMessage, message, 'stopAll');
}

async function stopAll({ sharedStop }: CommandContext): Promise<void> {
  await sharedStop.stopAll();
  const message =
    'Sealed Proxy is off in all windows of this editor. It stays off, even after you restart the editor, until ' +
    'you start it in one of them.';
  void offerCommands(vscode.window.showInformationMessage, message, 'start');
}

async function restart({ sharedStop, supervisor }: CommandContext): Promise<void> {
  await sharedStop.start('restart');
  const { status } = supervisor;
  if (status.kind !== 'running' || compareVersions(status.version, VERSION) <= 0) return;
  const message =
    `Another window runs Sealed Proxy ${status.version}, which is newer than this window's ${VERSION}. Restart it in ` +
    'that window, or reload this window to use the new version here too.';
  void offerCommands(vscode.window.showInformationMessage, message, 'reloadWindow');
}

/** Writes the setting; the proxy follows it. The port depends on the editor, so each keeps the one it once had. */
async function useFreePort({ uninstallRecord }: CommandContext): Promise<void> {
  const { appName, machineId, remoteName = '' } = vscode.env;
  const port = await ownPort([appName, machineId, remoteName, homedir()].join('\0'));
  await uninstallRecord.addPort(port);
  await vscode.workspace.getConfiguration(SECTION).update('port', port, vscode.ConfigurationTarget.Global);
}
