// Starts, stops and moves the proxy.
import * as vscode from 'vscode';
import { freePort } from '../../supervisor/freePort.ts';
import { SECTION } from '../settings.ts';
import { ensureApiKey } from './askApiKey.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';

export const proxyCommands = {
  start,
  stop: ({ supervisor }) => supervisor.stop(),
  restart: ({ supervisor }) => supervisor.restart(),
  useFreePort,
} satisfies CommandGroup;

/** Writes the setting; the proxy follows it. */
async function useFreePort(): Promise<void> {
  const port = await freePort();
  await vscode.workspace.getConfiguration(SECTION).update('port', port, vscode.ConfigurationTarget.Global);
}

async function start(context: CommandContext): Promise<void> {
  await context.supervisor.start();
  await ensureApiKey(context, 'Sealed Proxy');
}
