// The commands, one function each. They ask, act and tell; what is true comes from the supervisor.
import * as vscode from 'vscode';
import { isClientName, isSameName, visibleKeys } from '../../keys/accessKeys.ts';
import type { AccessKey } from '../../keys/accessKeys.ts';
import { connectAssistant, repairAssistants } from './connectAssistant.ts';
import type { ConnectContext } from './connectAssistant.ts';
import { attestationDocument } from '../../presentation/attestationText.ts';
import { baseUrlOf } from '../../shared/status.ts';
import { showDiagnosis } from './diagnosis.ts';
import { freePort } from '../../supervisor/freePort.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import type { ChannelLog } from '../log.ts';
import type { PublicApi } from '../api/api.ts';
import { SECTION } from '../settings.ts';
import { asNotice } from '../../presentation/plainText.ts';
import type { Secrets } from '../../keys/secrets.ts';
import { actionLabel } from '../views/statusBar.ts';
import { describeStatus } from '../../presentation/statusText.ts';
import type { Action } from '../../presentation/statusText.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { showUsage } from './usage.ts';

export interface CommandContext {
  readonly supervisor: Supervisor;
  readonly secrets: Secrets;
  readonly log: ChannelLog;
  readonly api: PublicApi;
  readonly settings: () => Settings;
  readonly documents: { show(path: string, markdown: string): Promise<void> };
  readonly connect: ConnectContext;
}

const { t } = vscode.l10n;
const WALKTHROUGH = 'sealed-proxy.sealed-proxy#start';

/** Registers every command. */
export function registerCommands(context: CommandContext): vscode.Disposable {
  const { supervisor, log, api } = context;
  const commands: Readonly<Record<string, (argument?: unknown) => unknown>> = {
    start: () => supervisor.start(),
    stop: () => supervisor.stop(),
    restart: () => supervisor.restart(),
    setApiKey: () => setApiKey(context),
    removeApiKey: () => removeApiKey(context),
    checkConnection: () => checkConnection(context),
    copyBaseUrl: () => copyBaseUrl(context),
    connectAssistant: () => connectAssistant(context.connect),
    mendAssistants: () => repairAssistants(context.connect),
    newAccessKey: () => newAccessKey(context),
    manageAccessKeys: () => manageAccessKeys(context),
    showAttestation: () => context.documents.show('Attestation.md', attestationDocument(supervisor.status)),
    showUsage: () => showUsage(context),
    diagnose: () => showDiagnosis(context),
    showLog: () => {
      log.channel.show();
    },
    getStarted: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
    showMenu: () => showMenu(context),
    useFreePort: () => useFreePort(),
    openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', SECTION),
    getBaseUrl: () => api.getBaseUrl(),
    getStatus: () => api.status(),
    getConnection: (argument) => api.getConnection((argument as { client?: unknown } | undefined)?.client),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`sealedProxy.${name}`, run)),
  );
}

/** What is wrong with a key as it was typed, or undefined. */
export function apiKeyProblem(key: string): string | undefined {
  if (key === '') return t('Type or paste the API key.');
  if (!/^[\x21-\x7e]+$/.test(key))
    return t('A key has no spaces and no other characters than those of ASCII. Copy it again.');
  if (key.length > 16_384) return t('A key has at most 16,384 characters.');
  if (key.startsWith('sealed-')) return t("This is an access key of Sealed Proxy. Enter the backend's own API key.");
  return undefined;
}

async function setApiKey({ secrets, supervisor }: CommandContext): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: t('Sealed Proxy: Set API Key'),
    prompt: t(
      "The backend's API key. It is kept in the editor's secret storage and leaves this computer encrypted only.",
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : apiKeyProblem(value.trim())),
  });
  if (typed === undefined) return;
  const key = typed.trim();
  const problem = apiKeyProblem(key);
  if (problem !== undefined) {
    void vscode.window.showErrorMessage(problem);
    return;
  }
  await secrets.setApiKey(key);
  await supervisor.start();
  await supervisor.secretsChanged(true);
  await tellConnection(supervisor);
}

async function removeApiKey({ secrets }: CommandContext): Promise<void> {
  const remove = t('Remove');
  const answer = await vscode.window.showWarningMessage(
    t('Remove the API key? Every program that uses Sealed Proxy will be refused until you set one again.'),
    { modal: true },
    remove,
  );
  if (answer === remove) await secrets.removeApiKey();
}

async function checkConnection({ supervisor }: CommandContext): Promise<void> {
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Checking the connection') },
    async () => {
      await supervisor.start();
      await supervisor.check();
    },
  );
  await tellConnection(supervisor);
}

/** One sentence about how it stands. */
async function tellConnection({ status }: Supervisor): Promise<void> {
  if (status.kind === 'running' && status.health.kind === 'connected') {
    void vscode.window.showInformationMessage(t('API key accepted, {0} models.', status.health.models.length));
    return;
  }
  const { summary } = describeStatus(status, t);
  const showLog = actionLabel('showLog');
  const answer = await vscode.window.showWarningMessage(asNotice(summary), showLog);
  if (answer === showLog) await vscode.commands.executeCommand('sealedProxy.showLog');
}

async function copyBaseUrl({ supervisor }: CommandContext): Promise<void> {
  const url = baseUrlOf(supervisor.status);
  if (url === undefined) {
    void vscode.window.showWarningMessage(t('The proxy is not running, so there is no base URL.'));
    return;
  }
  await vscode.env.clipboard.writeText(url);
  vscode.window.setStatusBarMessage(t('Copied {0}', url), 3000);
}

async function newAccessKey({ secrets, supervisor }: CommandContext): Promise<void> {
  const known = visibleKeys(await secrets.accessKeys());
  const name = await vscode.window.showInputBox({
    title: t('Sealed Proxy: New Access Key'),
    prompt: t('A name for the program that will use the key'),
    validateInput: (value) => nameProblem(value.trim(), known),
  });
  if (name === undefined || nameProblem(name.trim(), known) !== undefined) return;
  const { key } = await secrets.accessKeyNamed(name.trim(), 'user');
  await supervisor.secretsChanged(false);
  await vscode.env.clipboard.writeText(key);
  void vscode.window.showInformationMessage(t('The access key for "{0}" is on the clipboard.', name.trim()));
}

function nameProblem(name: string, known: readonly AccessKey[]): string | undefined {
  if (!isClientName(name)) {
    return t('A name has 1 to 64 letters, digits, spaces or simple marks, and is not that of Sealed Proxy itself.');
  }
  return known.some((key) => isSameName(key.name, name)) ? t('There is a key with this name already.') : undefined;
}

interface KeyItem extends vscode.QuickPickItem {
  readonly key: AccessKey;
}

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: t('Copy') };
const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: t('Revoke') };

async function manageAccessKeys({ secrets, supervisor }: CommandContext): Promise<void> {
  const pick = vscode.window.createQuickPick<KeyItem>();
  pick.title = t('Sealed Proxy: Access Keys');
  pick.placeholder = t('Enter copies a key; the buttons copy or revoke it');
  const refresh = async () => {
    pick.items = visibleKeys(await secrets.accessKeys()).map((key) => ({
      key,
      label: `$(key) ${key.name}`,
      description: key.lastUsedAt === null ? t('never used') : t('last used {0}', date(key.lastUsedAt)),
      detail: t('made {0}', date(key.createdAt)),
      buttons: [COPY, REVOKE],
    }));
  };
  const copy = async ({ key }: KeyItem) => {
    await vscode.env.clipboard.writeText(key.key);
    vscode.window.setStatusBarMessage(t('Copied the access key for "{0}"', key.name), 3000);
    pick.hide();
  };
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (button === COPY) {
      await copy(item);
      return;
    }
    await secrets.revokeAccessKey(item.key.id);
    await supervisor.secretsChanged(false);
    await refresh();
  });
  pick.onDidAccept(async () => {
    const [item] = pick.selectedItems;
    if (item !== undefined) await copy(item);
  });
  pick.onDidHide(() => {
    pick.dispose();
  });
  await refresh();
  pick.show();
}

async function showMenu(context: CommandContext): Promise<void> {
  const { supervisor, secrets } = context;
  const { summary, actions } = describeStatus(supervisor.status, t);
  const hasKey = (await secrets.apiKey()) !== undefined;
  const possible = new Set<Action>([...actions, ...ALWAYS]);
  if (hasKey) possible.add('removeApiKey');
  if (supervisor.status.kind === 'running') possible.add('restart').add('showUsage');
  const groups = MENU.map((group) => group.filter((action) => possible.has(action)));
  const items = groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => [...(index === 0 ? [] : [SEPARATOR]), ...group.map(menuItem)]);
  const chosen = await vscode.window.showQuickPick<MenuItem>(items, { title: 'Sealed Proxy', placeHolder: summary });
  if (chosen?.action !== undefined) await vscode.commands.executeCommand(`sealedProxy.${chosen.action}`);
}

interface MenuItem extends vscode.QuickPickItem {
  readonly action?: Action;
}

const SEPARATOR: MenuItem = { label: '', kind: vscode.QuickPickItemKind.Separator };

function menuItem(action: Action): MenuItem {
  return { label: `$(${ICONS[action]}) ${actionLabel(action)}`, action };
}

/** All actions, in groups and in their order. */
const MENU: readonly (readonly Action[])[] = [
  ['useFreePort', 'start', 'checkConnection', 'copyBaseUrl', 'showAttestation', 'showUsage', 'diagnose', 'showLog'],
  ['connectAssistant', 'setApiKey', 'removeApiKey', 'newAccessKey', 'manageAccessKeys'],
  ['restart', 'stop', 'openSettings', 'getStarted'],
];
const ALWAYS: readonly Action[] = [
  'diagnose',
  'showLog',
  'connectAssistant',
  'setApiKey',
  'newAccessKey',
  'manageAccessKeys',
  'openSettings',
  'getStarted',
];

const ICONS: Readonly<Record<Action, string>> = {
  start: 'play',
  stop: 'debug-stop',
  restart: 'debug-restart',
  setApiKey: 'key',
  removeApiKey: 'trash',
  checkConnection: 'refresh',
  copyBaseUrl: 'copy',
  connectAssistant: 'link',
  newAccessKey: 'add',
  manageAccessKeys: 'list-unordered',
  showAttestation: 'verified',
  showUsage: 'graph',
  diagnose: 'pulse',
  showLog: 'output',
  useFreePort: 'plug',
  openSettings: 'gear',
  getStarted: 'rocket',
};

async function useFreePort(): Promise<void> {
  const port = await freePort();
  await vscode.workspace.getConfiguration(SECTION).update('port', port, vscode.ConfigurationTarget.Global);
}

function date(at: number): string {
  return new Date(at).toLocaleString();
}
