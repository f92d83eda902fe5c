// What the editor knows of the surroundings of assistants: variables, settings and open folders.
import * as vscode from 'vscode';
import type { Environment, Surroundings } from '../../../assistants/judging/surroundings.ts';
import { ownSurroundings } from '../../../assistants/judging/surroundings.ts';
import { TERMINAL } from '../../../assistants/judging/variables.ts';
import { asObject } from '../../../shared/json.ts';

const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'osx', win32: 'windows' };

export function editorSurroundings(): Surroundings {
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
