// What a user can do about prompts that are not sealed, as a button.
import * as vscode from 'vscode';
import type { Remedy } from '../../../assistants/judging/judgement.ts';
import { TERMINAL } from '../../../assistants/judging/variables.ts';
import { runCommand } from '../../core/runCommand.ts';

export const OPEN_FILE = 'Open File';

export interface RemedyAction {
  readonly label: string;
  readonly run: () => Promise<void>;
}

export function remedyAction(remedy: Remedy): RemedyAction {
  switch (remedy.kind) {
    case 'connect':
      return { label: 'Connect Again', run: () => runCommand('connectAssistant') };
    case 'repair':
      return { label: 'Repair', run: () => runCommand('repairAssistants') };
    case 'copy':
      return {
        label: 'Copy Line for the Shell',
        run: async () => {
          await vscode.env.clipboard.writeText(remedy.text);
          const message = 'Copied. Add the line to the start-up file of your shell, then restart VS Code.';
          void vscode.window.showInformationMessage(message);
        },
      };
    case 'open': {
      const { source } = remedy;
      if (source.kind === 'file')
        return {
          label: OPEN_FILE,
          run: () => openFile(source.path),
        };
      const query = source.kind === 'setting' ? source.key : TERMINAL.key;
      return {
        label: 'Open Setting',
        run: async () => {
          await vscode.commands.executeCommand('workbench.action.openSettings', query);
        },
      };
    }
  }
}

export async function openFile(path: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(path));
}
