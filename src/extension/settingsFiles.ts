// The files that may be the user's settings.json: it is on the disk of the editor's own computer, or in the browser.
import * as vscode from 'vscode';
import type { SettingsFiles } from '../assistants/chatSettings.ts';

/**
 * In a window on a remote host, and in a profile other than the default one, neither of the files is the user's.
 * @param globalStorageUri of the extension; its folder is in the folder of the user's settings, unless the host is remote
 */
export function settingsFiles(globalStorageUri: vscode.Uri): SettingsFiles {
  const candidates = [
    vscode.Uri.joinPath(globalStorageUri, '..', '..', 'settings.json'),
    vscode.Uri.from({ scheme: 'vscode-userdata', path: '/User/settings.json' }),
  ];
  return {
    candidates: candidates.map(String),
    read: async (uri) => {
      try {
        return await vscode.workspace.fs.readFile(vscode.Uri.parse(uri));
      } catch {
        return undefined;
      }
    },
    write: async (uri, bytes) => {
      await vscode.workspace.fs.writeFile(vscode.Uri.parse(uri), bytes);
    },
    isUnsaved: (uri) => {
      const { path } = vscode.Uri.parse(uri); // the editor opens the same file under another scheme
      return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.path === path);
    },
  };
}
