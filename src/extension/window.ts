// Everything of one window, composed: the core and the features.
import type * as vscode from 'vscode';
import { registerCommands } from './core/commands.ts';
import { Core } from './core/core.ts';
import { registerAccessKeys } from './features/accessKeys/accessKeys.ts';
import { registerApi } from './features/api/api.ts';
import type { SealedProxyApi } from './features/api/apiTypes.ts';
import { registerAssistants } from './features/assistants/assistants.ts';
import { registerChat } from './features/chat/chatProvider.ts';
import { registerConnection } from './features/connection/connection.ts';
import { registerDashboard } from './features/dashboard/dashboard.ts';
import { registerDiagnosis } from './features/diagnosis/diagnosis.ts';
import { registerEvidence } from './features/evidence/evidence.ts';
import { registerImages } from './features/images/enclaveImages.ts';
import { registerLeave } from './features/leave/leave.ts';
import { PromptSources } from './features/promptMap/promptSources.ts';
import { registerSidePrompts } from './features/sidePrompts/sealing.ts';
import { registerSideView } from './features/sideView/sideView.ts';
import { registerUsage } from './features/usage/usage.ts';

export interface Window {
  readonly api: SealedProxyApi;
  readonly close: () => Promise<void>;
}

/** Registers everything. The proxy starts in the background: the editor does not wait for it. */
export function openWindow(context: vscode.ExtensionContext): Window {
  const core = new Core(context);
  const usage = registerUsage(core);
  const api = registerApi(core);
  const chat = registerChat(core);
  const { sidePrompts, chatSettings, sealing } = registerSidePrompts(core, chat);
  const { context: withAssistants, ...assisting } = registerAssistants(core, chat, api);
  const { assistants } = withAssistants;
  const promptSources = new PromptSources({ core, sidePrompts, assistants });
  const leave = registerLeave(core, {
    assistants,
    onAssistantsChange: assisting.onDidChange,
    chatSettings,
    chat,
    usageHistory: usage.history,
  });
  const connection = registerConnection(core, { sidePrompts, usage }, leave);
  context.subscriptions.push(connection.onAddressChanged(assisting.addressChanged));
  registerCommands(core, {
    ...connection.commands,
    ...registerAccessKeys(core).commands,
    ...assisting.commands,
    ...registerImages(core).commands,
    ...registerEvidence(core).commands,
    ...registerDiagnosis({ ...withAssistants, sidePrompts, promptSources }).commands,
    ...registerDashboard({ ...withAssistants, promptSources, sealing, usageHistory: usage.history }).commands,
    ...leave.commands,
    ...api.commands,
  });
  registerSideView(core);
  core.begin();
  void core.start(
    () => assistants.claim(),
    () => leave.record.update(),
  );
  return {
    api: api.forExtensions(),
    close: async () => {
      await core.supervisor.end();
      await usage.history.settled();
    },
  };
}
