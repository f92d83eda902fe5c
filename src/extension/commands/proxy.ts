// Starts, stops and moves the proxy.
import * as vscode from 'vscode';
import { freePort } from '../../supervisor/freePort.ts';
import { SECTION } from '../settings.ts';
import type { CommandGroup } from './commandContext.ts';

export const proxyCommands = {
  start: ({ supervisor }) => supervisor.start(),
  stop: ({ supervisor }) => supervisor.stop(),
  restart: ({ supervisor }) => supervisor.restart(),
  useFreePort,
} satisfies CommandGroup;

/** Writes the setting; the proxy follows it. */
async function useFreePort(): Promise<void> {
  const port = await freePort();
  await vscode.workspace.getConfiguration(SECTION).update('port', port, vscode.ConfigurationTarget.Global);
}
