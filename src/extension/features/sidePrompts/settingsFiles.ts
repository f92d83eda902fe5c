// The files that may be the user's settings.json: it is on the disk of the editor's own computer, or in the browser.
import * as vscode from 'vscode';
import type { SettingsFiles } from '../../../assistants/chatSettings.ts';
import { replaceContent } from '../../../assistants/files/configFile.ts';

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
      const target = vscode.Uri.parse(uri);
      // The editor's own function empties a file on the disk first: settings that the editor reads in this moment are gone.
      if (target.scheme === 'file') await replaceContent(target.fsPath, bytes);
      else await vscode.workspace.fs.writeFile(target, bytes);
    },
    isUnsaved: (uri) => {
      const { path } = vscode.Uri.parse(uri); // the editor opens the same file under another scheme
      return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.path === path);
    },
  };
}
