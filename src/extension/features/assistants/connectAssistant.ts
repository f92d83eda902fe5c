// The command "Connect an Assistant…": what the user is shown and asked. The work is done in assistantService.ts.
import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { Assistant, CheckOutcome } from '../../../assistants/adapters/assistant.ts';
import { describeConfigState } from '../../../assistants/adapters/configState.ts';
import { hasOurEntry } from '../../../assistants/assistantService.ts';
import type { AssistantState } from '../../../assistants/assistantService.ts';
import type { Preview, Refused } from '../../../assistants/files/change.ts';
import { describeChanges } from '../../../assistants/files/preview.ts';
import type { Judgement } from '../../../assistants/judging/judgement.ts';
import { shellOf } from '../../../assistants/shell.ts';
import type { Snippet } from '../../../assistants/snippets.ts';
import type { ActionResult } from '../../../dashboard/clients.ts';
import { NOTHING_TO_UNDO, joined } from '../../../presentation/text.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asNotice } from '../../../shared/escape.ts';
import { setContextKey } from '../../core/contextKeys.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands, runCommand } from '../../core/runCommand.ts';
import { changeApiKey, ensureApiKey } from '../connection/askApiKey.ts';
import { rowsFor } from './assistantRows.ts';
import { chooseModels } from './chooseModel.ts';
import type { AssistantsContext } from './context.ts';
import { OPEN_FILE, openFile, remedyAction } from './remedies.ts';
import { askReplacement, restoreReplacement, writeReplacement } from './replacementModel.ts';

const TITLE = 'Sealed Proxy: Connect an Assistant';
const CHECK = 'Check Connection';
const UNDO = 'Undo';

export async function connectAssistant(context: AssistantsContext): Promise<void> {
  const row = await vscode.window.showQuickPick(rowsFor(await context.assistants.list()), {
    title: TITLE,
    placeHolder: 'Select an assistant to connect, or a connected one to check, change or undo',
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (row?.choice === undefined) return;
  switch (row.choice.kind) {
    case 'repair':
      await runCommand('repairAssistants');
      break;
    case 'assistant':
      await chooseAction(context, row.choice.state);
      break;
    case 'snippet':
      await copy(context, row.choice.snippet);
  }
}

/** Offers actions for an assistant that is connected already; connects any other. */
async function chooseAction(context: AssistantsContext, state: AssistantState): Promise<void> {
  const { assistant, configState, judgement, undoable } = state;
  if (!hasOurEntry(state)) {
    await connect(context, assistant);
    return;
  }
  const actions = [
    {
      label: `$(pulse) ${CHECK}`,
      detail: 'Sends one short request, as the assistant would.',
      run: () => check(context, assistant),
    },
    {
      label: `$(edit) ${configState.kind === 'outdated' ? 'Repair or Change Model' : 'Change Model'}`,
      run: () => connect(context, assistant),
    },
  ];
  const undoAction = {
    label: `$(discard) ${UNDO}`,
    detail: 'Restores the previous configuration and revokes the access key.',
    run: () => undo(context, assistant),
  };
  const options = {
    title: assistant.name,
    placeHolder: describeConfigState(configState, judgement),
    ignoreFocusOut: true,
  };
  const chosen = await vscode.window.showQuickPick(undoable ? [...actions, undoAction] : actions, options);
  await chosen?.run();
}

export async function connect(context: AssistantsContext, assistant: Assistant): Promise<void> {
  // A file that cannot be changed needs the user first, not answers to questions.
  const state = await context.assistants.inspect(assistant);
  if (state.kind === 'refused') {
    await showRefusal(state);
    return;
  }
  if (!(await isReady(context))) return;
  const chosen = await chooseModels(context, TITLE, assistant);
  if (chosen === undefined) return;
  const proposal = await context.assistants.propose(assistant, chosen.model, chosen.smallModel);
  if (proposal.kind === 'refused') {
    await showRefusal(proposal);
    return;
  }
  const replacement = await askReplacement(context, assistant, chosen.model.id);
  if (replacement === undefined) return;
  if (proposal.kind === 'proposal') {
    if (!(await agree(context, assistant, proposal.preview))) return;
    const result = await context.assistants.apply(proposal);
    if (result.kind === 'refused') {
      await showRefusal(result);
      return;
    }
  }
  await writeReplacement(context, assistant, replacement);
  // Of an unchanged entry, only this setting was written, so nothing else is undone.
  const isOnlySetting = proposal.kind === 'unchanged' && replacement !== null;
  const undoThis = () => (isOnlySetting ? undoReplacement(context, assistant) : undo(context, assistant));
  const judgement = await context.assistants.judgementOf(assistant);
  if (judgement.kind !== 'sealed') {
    await showUnsealed(assistant, judgement, undoThis);
    return;
  }
  await setContextKey('assistantConnected', true);
  const message = `${assistant.name} is connected. ${assistant.next}`;
  const answer = await vscode.window.showInformationMessage(message, CHECK, UNDO);
  if (answer === CHECK) await check(context, assistant);
  if (answer === UNDO) await undoThis();
}

async function showRefusal({ message, file }: Refused): Promise<void> {
  const buttons = file === undefined ? [] : [OPEN_FILE];
  const answer = await vscode.window.showErrorMessage(asNotice(message), ...buttons);
  if (answer === OPEN_FILE && file !== undefined) await openFile(file);
}

/** Connecting again would set nothing more, so it is not offered. */
async function showUnsealed(
  assistant: Assistant,
  judgement: Judgement,
  undoThis: () => Promise<unknown>,
): Promise<void> {
  const { sentence, remedy } = judgement;
  const action = remedy === undefined || remedy.kind === 'connect' ? undefined : remedyAction(remedy);
  const message = asNotice(`${assistant.name} is configured, but not all prompts are sealed. ${sentence}`);
  const buttons = [...(action === undefined ? [] : [action.label]), UNDO];
  const answer = await vscode.window.showWarningMessage(message, ...buttons);
  if (answer === UNDO) await undoThis();
  else if (answer !== undefined) await action?.run();
}

/** Shows the change, and asks beside it. */
async function agree(
  { core: { documents }, reviews }: AssistantsContext,
  { name }: Assistant,
  preview: Preview,
): Promise<boolean> {
  const { path, exists, before, after } = preview;
  const title = `${basename(path)}: before and after (keys are hidden)`;
  const comparison = await documents.compare(basename(path), before, after, title);
  const backup = exists && isAbsolute(path) ? 'A backup is kept next to it.' : '';
  const question = `Connect ${name}: ${exists ? 'write to' : 'create'} ${path}? ${name} gets its own access key.`;
  return reviews.ask(comparison, asNotice(joined(question, describeChanges(preview), backup)));
}

async function undoReplacement(context: AssistantsContext, assistant: Assistant): Promise<void> {
  const left = await restoreReplacement(context, assistant);
  const message = left === undefined ? NOTHING_TO_UNDO : left || 'The previous setting was restored.';
  void vscode.window.showInformationMessage(message);
}

/** Undoes the changes to an assistant. Returns what was shown: sentences; empty if the user cancelled. */
export async function undo(context: AssistantsContext, assistant: Assistant): Promise<string> {
  const { assistants } = context;
  const result = await assistants.undo(assistant);
  const show = (message: string) => {
    void vscode.window.showInformationMessage(message);
    return message;
  };
  if (result.kind === 'nothing') return show(NOTHING_TO_UNDO);
  if (result.kind === 'refused') {
    const revoke = 'Revoke Key Anyway';
    if ((await vscode.window.showErrorMessage(asNotice(result.message), revoke)) !== revoke) return result.message;
    await assistants.revoke([assistant]);
    const left = await restoreReplacement(context, assistant);
    const message = `The access key of ${assistant.name} was revoked. Its configuration still contains the entry.`;
    return show(joined(message, left ?? ''));
  }
  const left = await restoreReplacement(context, assistant);
  const restored = result.left ?? 'The previous configuration was restored.';
  return show(joined(`The access key of ${assistant.name} was revoked. ${restored}`, left ?? ''));
}

/** Sends one short request as the assistant would. */
export async function check(context: AssistantsContext, assistant: Assistant): Promise<ActionResult> {
  if (!(await ensureApiKey(context.core, 'The check'))) return { message: '' };
  return showCheck(assistant.name, () => context.assistants.checks.check(assistant));
}

async function showCheck(name: string, run: () => Promise<CheckOutcome>): Promise<ActionResult> {
  const progress = { location: vscode.ProgressLocation.Notification, title: `Checking ${name}…` };
  const outcome = await vscode.window.withProgress(progress, run);
  const isReady = outcome.kind === 'answered';
  const message = `${name} ${isReady ? 'is ready:' : 'cannot use the proxy.'} ${outcome.message}`;
  // The message names the model, as a file or the backend does.
  void vscode.window[isReady ? 'showInformationMessage' : 'showErrorMessage'](asNotice(message));
  return { message, checkFailed: !isReady };
}

async function copy(context: AssistantsContext, snippet: Snippet): Promise<void> {
  if (!(await isReady(context))) return;
  const chosen = await chooseModels(context, TITLE, snippet);
  if (chosen === undefined) return;
  const { model } = chosen;
  const shell = shellOf(process.platform);
  await vscode.env.clipboard.writeText(await context.assistants.renderSnippet(snippet, model, shell));
  await setContextKey('assistantConnected', true);
  const message = `The snippet for ${snippet.name} was copied, with its own access key. ${snippet.hint}`;
  if ((await vscode.window.showInformationMessage(message, CHECK)) !== CHECK) return;
  await showCheck(snippet.name, () => context.assistants.checks.checkSnippet(snippet, model));
}

/**
 * True if the proxy runs, keeps its address and has an API key, for which it asks; otherwise the user was told why not.
 * The list of models was requested from the backend.
 */
export async function isReady(context: AssistantsContext): Promise<boolean> {
  const { core, getBaseUrl } = context;
  if (core.settings().proxy.port === 0) {
    const message =
      'The port changes each time the proxy starts, because sealedProxy.port is 0. Set a fixed port, then connect.';
    await offerCommands(vscode.window.showErrorMessage, message, 'openSettings');
    return false;
  }
  if (!(await ensureApiKey(core, 'Connecting an assistant'))) return false;
  try {
    await getBaseUrl();
  } catch (error) {
    const reason = errorMessage(error);
    void vscode.window.showErrorMessage(`Assistants cannot be connected now. ${asNotice(reason)}`);
    return false;
  }
  return hasUsableKey(context);
}

/** False if the backend refuses the API key and the user sets no other. */
async function hasUsableKey(context: AssistantsContext): Promise<boolean> {
  if (context.models().length === 0) await requestModels(context.core);
  const { status } = context.core.supervisor;
  const isRefused = status.kind === 'running' && status.health.kind === 'keyRejected';
  if (!isRefused) return true;
  return (await changeApiKey(context.core, 'The backend refused the API key. Enter a new one.')) !== 'cancelled';
}

/** Waits for the list of models, until the user cancels. */
async function requestModels({ supervisor }: Core): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: 'Requesting the list of models…', cancellable: true };
  await vscode.window.withProgress(options, (_progress, token) => {
    const cancelled = new Promise<void>((resolve) => {
      token.onCancellationRequested(() => {
        resolve();
      });
    });
    return Promise.race([supervisor.check(), cancelled]);
  });
}
