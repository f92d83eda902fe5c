// What "Disconnect and Remove Everything" does, in this order: the settings come after the secrets, so that no change of a
// setting can start the proxy again.
import * as vscode from 'vscode';
import { hasOurEntry, namesOf } from '../../../assistants/assistantService.ts';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import type { Leftover } from '../../../assistants/leave.ts';
import { visibleKeys } from '../../../keys/accessKeys.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { sentence } from '../../../presentation/text.ts';
import { EDITOR_SETTING_NAMES } from '../../../settings/schema.ts';
import type { Core } from '../../core/core.ts';
import { SECTION } from '../../core/settings.ts';
import { restoringStep, settingElsewhere } from './removal.ts';
import type { ChangedSettings, RemovalStep } from './removal.ts';

export interface RemovalHost extends Pick<Core, 'context' | 'secrets'> {
  readonly assistants: AssistantService;
  /** Stops the proxy in all windows. */
  readonly stop: () => Promise<void>;
  readonly changedSettings: ChangedSettings;
}

export function removalSteps(host: RemovalHost): readonly RemovalStep[] {
  const { assistants, secrets, stop } = host;
  const { globalStorageUri, globalState, workspaceState } = host.context;
  const folder = globalStorageUri.fsPath;
  return [
    {
      name: 'The proxy',
      description: () => Promise.resolve('Stops the proxy in all windows.'),
      run: async () => {
        await stop();
        return [];
      },
    },
    {
      name: 'Assistants',
      description: async () => {
        const connected = (await assistants.list()).filter(hasOurEntry);
        if (connected.length === 0) return 'No assistant is connected. Deletes remaining backups of their files.';
        return `Removes the Sealed Proxy entry from ${namesOf(connected)}, and deletes the backups of changed files.`;
      },
      run: () => assistants.leave.disconnectAll(),
    },
    restoringStep(host.changedSettings), // needs the undo data in the secrets
    {
      name: 'Keys and stored data',
      description: async () => {
        const count = visibleKeys(await secrets.accessKeys()).length;
        const keys = count === 1 ? '1 access key' : `${count} access keys`;
        return `Deletes the API key, ${keys}, all other secrets, and the folder ${folder} with the usage history.`;
      },
      run: () => removeSecrets(secrets, folder),
    },
    {
      name: 'Stored state',
      description: () => Promise.resolve('Deletes the state that it has stored in VS Code.'),
      run: async () => {
        for (const state of [globalState, workspaceState])
          for (const key of state.keys()) await state.update(key, undefined);
        return [];
      },
    },
    {
      name: 'Settings',
      description: () => {
        const names = changedSettings();
        return Promise.resolve(
          `Resets the settings of Sealed Proxy${names.length > 0 ? `: ${names.join(', ')}` : ''}.`,
        );
      },
      run: removeSettings,
    },
  ];
}

async function removeSecrets(secrets: Secrets, folder: string): Promise<readonly Leftover[]> {
  const { otherComputers, complete } = await secrets.removeAll();
  const leftovers: Leftover[] = [];
  if (otherComputers > 0) {
    const message =
      `Access keys and undo data of ${otherComputers === 1 ? 'another computer' : `${otherComputers} other computers`} ` +
      'remain. Run this command in a window on that computer, for example over SSH or in the container.';
    leftovers.push({ where: "VS Code's secret storage", message });
  }
  if (!complete) {
    const message = `Another window has stored data again. Close all other windows and run this command again. If ${folder} still exists, delete it.`;
    leftovers.push({ where: "VS Code's secret storage", message });
  }
  return leftovers;
}

function changedSettings(): readonly string[] {
  const section = vscode.workspace.getConfiguration(SECTION);
  return EDITOR_SETTING_NAMES.filter((name) => section.inspect(name)?.globalValue !== undefined).map(
    (name) => `${SECTION}.${name}`,
  );
}

async function removeSettings(): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const name of changedSettings()) {
    try {
      await vscode.workspace.getConfiguration().update(name, undefined, vscode.ConfigurationTarget.Global);
    } catch (error) {
      leftovers.push({
        where: name,
        message: `The setting could not be reset. ${sentence(String(error))} Remove it yourself.`,
      });
    }
  }
  const isRemote = vscode.env.remoteName !== undefined;
  const known = leftovers.map(({ where }) => where);
  const rest = changedSettings().filter((name) => !known.includes(name));
  return [...leftovers, ...rest.map((where) => settingElsewhere(where, isRemote))];
}
