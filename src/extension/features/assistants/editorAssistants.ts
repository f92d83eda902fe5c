// The service for assistants, with what only the editor knows: the two whose configuration is in the editor itself
// (llama.vscode and the Custom Endpoint list), and the surroundings of all.
import * as vscode from 'vscode';
import { CUSTOM_ENDPOINT } from '../../../assistants/adapters/customEndpoint.ts';
import type { EndpointList } from '../../../assistants/adapters/customEndpoint.ts';
import { AssistantService } from '../../../assistants/assistantService.ts';
import type { AssistantServiceHost } from '../../../assistants/assistantService.ts';
import { disconnectFile } from '../../../assistants/files/configFile.ts';
import { ownSurroundings } from '../../../assistants/judging/surroundings.ts';
import type { Environment, Surroundings } from '../../../assistants/judging/surroundings.ts';
import { TERMINAL } from '../../../assistants/judging/variables.ts';
import { allAssistants } from '../../../assistants/registry.ts';
import { UndoStore, undoEntries } from '../../../assistants/undoStore.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { asObject } from '../../../shared/json.ts';
import { baseUrlOf } from '../../../shared/status.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import { besideUserSettings, userSettings } from '../../core/userSettings.ts';

const ADD_GROUP = 'lm.addLanguageModelsProviderGroup';

/** @param storage the folder of the extension's data */
export function createAssistantService(
  storage: vscode.Uri,
  host: Pick<AssistantServiceHost, 'secrets' | 'models' | 'onChange'> & { readonly supervisor: Supervisor },
): AssistantService {
  const list = endpointList(host.secrets, besideUserSettings(storage, 'chatLanguageModels.json'));
  return new AssistantService({
    ...host,
    assistants: allAssistants(userSettings, list),
    baseUrl: () => baseUrlOf(host.supervisor.status),
    surroundings: editorSurroundings,
    isInstalled: (id) => vscode.extensions.getExtension(id) !== undefined,
  });
}

/**
 * Uses a command that not every version of VS Code has.
 * @param file where the editor keeps the list, unless it keeps it in a browser or on another computer
 */
function endpointList(secrets: Pick<Secrets, 'entries'>, file: string): EndpointList {
  const undo = new UndoStore(undoEntries(secrets));
  return {
    exists: async () => (await vscode.commands.getCommands(true)).includes(ADD_GROUP),
    add: async (group) => {
      await vscode.commands.executeCommand(ADD_GROUP, group);
    },
    remembered: async () => (await undo.get(CUSTOM_ENDPOINT))?.after,
    edit: async (edit) => (await disconnectFile(file, edit, false)).kind === 'undone',
  };
}

const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'osx', win32: 'windows' };

/** Variables, settings and open folders. */
function editorSurroundings(): Surroundings {
  const own = ownSurroundings();
  const setting = (key: string): unknown => vscode.workspace.getConfiguration().get(key);
  const changes = asObject(setting(`${TERMINAL.key}.${PLATFORMS[process.platform] ?? 'linux'}`)) ?? {};
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return {
    ...own,
    terminal: { ...own.editor, ...terminalVariables(changes) },
    folders: folders.map(({ uri }) => uri.fsPath),
    setting,
  };
}

/** Null removes a variable. One that refers to another is only named: no program reads it as it is. */
function terminalVariables(changes: Readonly<Record<string, unknown>>): Environment {
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, typeof value === 'string' ? resolve(value) : undefined]),
  );
}

function resolve(value: string): string {
  return value.replace(/\$\{env:([^}]+)\}/g, (_match, name: string) => process.env[name] ?? '');
}
