// Creates, copies and revokes the access keys of local programs.
import * as vscode from 'vscode';
import { isClientName, isSameName, visibleKeys } from '../../../keys/accessKeys.ts';
import type { AccessKey } from '../../../keys/accessKeys.ts';
import { asLabel } from '../../../shared/escape.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands } from '../../core/runCommand.ts';
import { TerminalEnvironment } from './terminal.ts';

export function registerAccessKeys(core: Core) {
  const { context, settings, secrets, supervisor, inBackground, onStatusOrSettings } = core;
  const terminal = new TerminalEnvironment(context.environmentVariableCollection, secrets);
  const update = () => {
    inBackground(terminal.update(settings()['terminal.enabled'], supervisor.status));
  };
  context.subscriptions.push(onStatusOrSettings(update), secrets.onDidChange(update));
  return {
    commands: {
      newAccessKey: () => newAccessKey(core),
      manageAccessKeys: () => manageAccessKeys(core),
    } satisfies Commands,
  };
}

async function newAccessKey({ secrets, supervisor }: Core): Promise<void> {
  const known = visibleKeys(await secrets.accessKeys());
  const name = await vscode.window.showInputBox({
    title: 'Sealed Proxy: Create Access Key',
    prompt: 'Enter a name for the program that will use the key.',
    ignoreFocusOut: true,
    validateInput: (value) => nameProblem(value.trim(), known),
  });
  if (name === undefined || nameProblem(name.trim(), known) !== undefined) return;
  const { key } = await secrets.accessKeyNamed(name.trim(), 'user');
  await supervisor.secretsChanged(false);
  await vscode.env.clipboard.writeText(key);
  void offerCommands(
    vscode.window.showInformationMessage,
    `Copied the access key for "${name.trim()}" to the clipboard. Paste it, then copy the base URL.`,
    'copyBaseUrl',
  );
}

function nameProblem(name: string, known: readonly AccessKey[]): string | undefined {
  if (!isClientName(name)) {
    return 'Enter 1 to 64 letters, digits, spaces or punctuation marks. The names that Sealed Proxy itself uses are reserved.';
  }
  return known.some((key) => isSameName(key.name, name)) ? 'An access key with this name already exists.' : undefined;
}

interface KeyItem extends vscode.QuickPickItem {
  readonly key: AccessKey;
}

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: 'Copy' };
const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Revoke' };

async function manageAccessKeys({ secrets, supervisor }: Core): Promise<void> {
  const pick = vscode.window.createQuickPick<KeyItem>();
  pick.title = 'Sealed Proxy: Access Keys';
  pick.ignoreFocusOut = true;
  pick.placeholder = 'Select a key to copy it. Use the trash icon to revoke it.';
  const refresh = async () => {
    pick.items = visibleKeys(await secrets.accessKeys()).map((key) => ({
      key,
      label: `$(key) ${asLabel(key.name)}`,
      description: `Created ${date(key.createdAt)}, ${key.lastUsedAt === null ? 'never used' : `last used ${date(key.lastUsedAt)}`}`,
      buttons: [COPY, REVOKE],
    }));
  };
  const copy = async ({ key }: KeyItem) => {
    await vscode.env.clipboard.writeText(key.key);
    vscode.window.setStatusBarMessage(`Copied the access key for "${key.name}"`, 3000);
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

function date(at: number): string {
  return new Date(at).toLocaleString();
}
