// Opens the editor's chat, so that it answers also in a new profile.
import * as vscode from 'vscode';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';

/** The extension behind the editor's chat. */
const CHAT = 'GitHub.copilot-chat';
/** How long the editor may take to enable the chat, in milliseconds: then it is opened as it is. */
const LIMIT = 20_000;

/** @param more further options of the command that opens the chat, such as a question */
export async function openChat(more: object = {}): Promise<void> {
  const isWanted = vscode.workspace.getConfiguration('chat').get('disableAIFeatures') !== true;
  const mustEnable = isWanted && !isEnabled();
  const options = mustEnable ? await enable(AbortSignal.timeout(LIMIT)).catch(() => undefined) : undefined;
  await vscode.commands.executeCommand('workbench.action.chat.open', { ...options, ...more });
}

function isEnabled(): boolean {
  return vscode.extensions.getExtension(CHAT) !== undefined;
}

/**
 * In a new profile, the chat asks the user to sign in to GitHub, until the list of language models was open once (VS Code
 * 1.139). Returns the options that open the chat with one of our models.
 */
async function enable(signal: AbortSignal) {
  const { commands, extensions, lm, window } = vscode;
  const before = window.tabGroups.activeTabGroup.activeTab;
  await commands.executeCommand('workbench.action.chat.manage');
  await until(extensions.onDidChange, isEnabled, signal);
  await extensions.getExtension(CHAT)?.activate();
  const findModels = () => lm.selectChatModels({ vendor: OUR_VENDOR });
  await until(lm.onDidChangeChatModels, async () => (await findModels()).length > 0, signal);
  const list = window.tabGroups.activeTabGroup.activeTab;
  if (list !== undefined && list !== before) await window.tabGroups.close(list);
  const [model] = await findModels();
  return { modelSelector: { vendor: OUR_VENDOR, id: model?.id } };
}

/** Resolves when the condition is true: now, or after one of the events. Rejects when the signal aborts. */
async function until(
  event: vscode.Event<unknown>,
  condition: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const look = async () => {
    if (await condition()) resolve(undefined);
  };
  const subscription = event(() => void look());
  signal.addEventListener('abort', () => {
    reject(new Error('The editor did not enable its chat in time'));
  });
  await look();
  await promise.finally(() => {
    subscription.dispose();
  });
}
