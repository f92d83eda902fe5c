// The connection to the backend: the item in the status bar, notices, and the commands that start, stop and check it.
import * as vscode from 'vscode';
import { settingsIn } from '../../../presentation/text.ts';
import type { Commands } from '../../core/commands.ts';
import { setContextKey, setStatusKeys } from '../../core/contextKeys.ts';
import type { Core } from '../../core/core.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';
import { openSettings } from '../../core/runCommand.ts';
import { openChat } from '../chat/openChat.ts';
import type { Leave } from '../leave/leave.ts';
import { removeApiKey, setApiKey } from './apiKey.ts';
import { ensureApiKey } from './askApiKey.ts';
import { BaseUrlSetting } from './baseUrlSetting.ts';
import { checkConnection, copyBaseUrl } from './checkConnection.ts';
import { FailureNotices } from './failureNotices.ts';
import { reportIgnoredSettings } from './ignoredSettings.ts';
import { showMenu } from './menu.ts';
import { restart, start, stop, stopAll, useFreePort } from './startAndStop.ts';
import { StatusBar } from './statusBar.ts';
import type { StatusBarSources } from './statusBar.ts';

const WALKTHROUGH = `${EXTENSION_ID}#start`;

export function registerConnection(core: Core, sources: StatusBarSources, { record, onRemoved }: Leave) {
  const { context, log, inBackground } = core;
  const statusBar = new StatusBar(core, sources);
  const notices = new FailureNotices();
  const baseUrlSetting = new BaseUrlSetting();
  const addressChanged = new vscode.EventEmitter<void>();
  const publishBaseUrl = async () => {
    const isNew = await baseUrlSetting.update(core.supervisor.status);
    if (isNew && core.settings().proxy.port !== 0) addressChanged.fire();
  };
  context.subscriptions.push(
    statusBar,
    addressChanged,
    onRemoved(() => {
      baseUrlSetting.forget();
    }),
    core.onHasApiKey((hasApiKey) => {
      inBackground(setContextKey('hasApiKey', hasApiKey));
      inBackground(setContextKey('needsApiKey', !hasApiKey));
    }),
    core.onRefused((problems) => {
      inBackground(notices.settingsRefused(problems));
    }),
    core.onStatus((status) => {
      inBackground(setStatusKeys(status));
      inBackground(publishBaseUrl());
      inBackground(notices.statusChanged(status));
    }),
  );
  const warn = (message: string) => {
    log.channel.warn(message);
  };
  inBackground(reportIgnoredSettings(context, warn));
  return {
    /** This window has written another base URL to the settings. */
    onAddressChanged: addressChanged.event,
    commands: {
      start: () => start(core),
      stop: () => stop(core),
      stopAll: () => stopAll(core),
      restart: () => restart(core),
      useFreePort: () => useFreePort(record),
      reloadWindow: () => vscode.commands.executeCommand('workbench.action.reloadWindow'),
      checkConnection: () => checkConnection(core),
      copyBaseUrl: () => copyBaseUrl(core),
      setApiKey: () => setApiKey(core),
      removeApiKey: () => removeApiKey(core),
      showMenu: () => showMenu(core),
      showLog: () => {
        log.channel.show();
      },
      openSettings: (text) => openSettings(typeof text === 'string' ? settingsIn(text) : []),
      openChat: () => askInChat(core),
      getStarted: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
    } satisfies Commands,
  };
}

async function askInChat(core: Core): Promise<void> {
  if (await ensureApiKey(core, 'The chat')) await openChat();
}
