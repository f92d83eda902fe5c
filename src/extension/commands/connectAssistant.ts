// "Connect an Assistant…": what the user sees and chooses. assistantService.ts knows the assistants and changes them.
import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { AssistantState } from '../../assistants/assistantService.ts';
import type { Snippet, UnsupportedAssistant } from '../../assistants/snippets.ts';
import type { Assistant, Checked, ModelChoice, Preview } from '../../assistants/types.ts';
import { asLabel, asNotice } from '../../shared/escape.ts';
import { describeConfigState, rowsFor } from '../views/assistantRows.ts';
import { setContextKey } from '../views/contextKeys.ts';
import type { CommandContext, CommandGroup } from './commandContext.ts';
import { offerCommands, runCommand } from './runCommand.ts';

export const connectAssistantCommands = { connectAssistant } satisfies CommandGroup;

const TITLE = 'Sealed Proxy: Connect an Assistant';
/** In characters; the editor beside the question shows the complete change. */
const LONGEST_DETAIL = 500;

async function connectAssistant(context: CommandContext): Promise<void> {
  const row = await vscode.window.showQuickPick(rowsFor(await context.assistants.look()), {
    title: TITLE,
    placeHolder: 'Select the assistant to connect to Sealed Proxy',
    matchOnDescription: true,
  });
  switch (row?.choice?.kind) {
    case 'repair':
      await runCommand('repairAssistants');
      break;
    case 'written':
      await chooseFor(context, row.choice.found);
      break;
    case 'copied':
      await copy(context, row.choice.snippet);
      break;
    case undefined:
  }
}

/** Offers what can be done with a connected assistant; connects any other. */
async function chooseFor(context: CommandContext, found: AssistantState): Promise<void> {
  const { assistant, configState, undoable } = found;
  if (configState.kind !== 'current' && configState.kind !== 'old' && !undoable) {
    await connect(context, assistant);
    return;
  }
  const actions = [
    {
      label: '$(pulse) Check',
      detail: 'Sends one small request, as the assistant would.',
      run: () => check(context, assistant),
    },
    {
      label: `$(edit) ${configState.kind === 'old' ? 'Repair or Change Model' : 'Change Model'}`,
      run: () => connect(context, assistant),
    },
    ...(undoable
      ? [
          {
            label: '$(discard) Undo',
            detail: 'Restores the previous configuration and revokes the access key of the assistant.',
            run: () => undo(context, assistant),
          },
        ]
      : []),
  ];
  const chosen = await vscode.window.showQuickPick(actions, {
    title: assistant.name,
    placeHolder: describeConfigState(configState),
  });
  await chosen?.run();
}

async function connect(context: CommandContext, assistant: Assistant): Promise<void> {
  if (!(await isReady(context))) return;
  const model = await chooseModel(context, assistant);
  if (model === undefined) return;
  const proposal = await context.assistants.propose(assistant, model);
  if (proposal.kind === 'refused') {
    void vscode.window.showErrorMessage(proposal.message);
    return;
  }
  if (proposal.kind === 'proposal') {
    if (!(await agree(context, assistant, proposal.preview))) return;
    const result = await context.assistants.agree(proposal);
    if (result.kind === 'refused') {
      void vscode.window.showErrorMessage(result.message);
      return;
    }
  }
  await setContextKey('assistantConnected', true);
  const message = `${assistant.name} is connected. ${assistant.next}`;
  const answer = await vscode.window.showInformationMessage(message, 'Check', 'Undo');
  if (answer === 'Check') await check(context, assistant);
  if (answer === 'Undo') await undo(context, assistant);
}

/** Shows the change in an editor, and asks whether to write it. */
async function agree({ documents }: CommandContext, { name }: Assistant, preview: Preview): Promise<boolean> {
  const { path, exists, before, after, changes } = preview;
  const title = `${basename(path)}: before and after (keys are hidden)`;
  const close = await documents.compare(basename(path), before, after, title);
  const backup = exists && isAbsolute(path) ? 'The original file is kept next to it as a backup.' : '';
  const write = {
    label: `$(check) ${exists ? 'Write to' : 'Create'} ${path}`,
    detail: asLabel(`${changes.join(' · ')}. ${backup}`, LONGEST_DETAIL),
  };
  const answer = await vscode.window.showQuickPick([write, { label: '$(close) Cancel' }], {
    title: `Connect ${name}`,
    placeHolder: `Review the change. ${name} gets an access key that only it uses.`,
    ignoreFocusOut: true,
  });
  await close();
  return answer === write;
}

async function undo({ assistants }: CommandContext, assistant: Assistant): Promise<void> {
  const result = await assistants.undo(assistant);
  if (result.kind === 'refused') {
    void vscode.window.showErrorMessage(result.message);
    return;
  }
  const message =
    result.left === undefined
      ? `The previous configuration of ${assistant.name} is restored, and its access key is revoked.`
      : `The access key of ${assistant.name} is revoked, so it can no longer use Sealed Proxy. ${result.left}`;
  void vscode.window.showInformationMessage(message);
}

async function check({ assistants }: CommandContext, assistant: Assistant): Promise<void> {
  await showCheck(assistant.name, () => assistants.check(assistant));
}

async function showCheck(name: string, act: () => Promise<Checked>): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  const checked = await vscode.window.withProgress({ location, title: `Checking ${name}…` }, act);
  const message = asNotice(checked.message); // it quotes names from files and from the backend
  if (checked.kind === 'answered') void vscode.window.showInformationMessage(`${name} works: ${message}`);
  else void vscode.window.showErrorMessage(`${name} does not work: ${message}`);
}

async function copy(context: CommandContext, snippet: Snippet | UnsupportedAssistant): Promise<void> {
  if (snippet.kind === 'impossible') {
    void vscode.window.showWarningMessage(snippet.message, { modal: true });
    return;
  }
  if (!(await isReady(context))) return;
  const model = await chooseModel(context, snippet);
  if (model === undefined) return;
  const shell = process.platform === 'win32' ? 'powershell' : 'posix';
  await vscode.env.clipboard.writeText(await context.assistants.write(snippet, model, shell));
  await setContextKey('assistantConnected', true);
  const message = `Copied the configuration for ${snippet.name} to the clipboard, with its own access key. ${snippet.hint}`;
  if ((await vscode.window.showInformationMessage(message, 'Check')) !== 'Check') return;
  await showCheck(snippet.name, () => context.assistants.checkSnippet(snippet, model));
}

async function chooseModel(
  { models }: CommandContext,
  { name, needsModel }: Assistant | Snippet,
): Promise<ModelChoice | undefined> {
  const known = models();
  const [first] = known;
  if (first === undefined) return askModel(name);
  if (!needsModel) return first;
  const rows = known.map((model) => ({
    label: asLabel(model.name ?? model.id),
    description: asLabel(model.id),
    model,
  }));
  const placeHolder = `Select the model for ${name}`;
  return (await vscode.window.showQuickPick(rows, { title: TITLE, placeHolder, matchOnDescription: true }))?.model;
}

/** The user may know a model while the backend cannot be asked. */
async function askModel(name: string): Promise<ModelChoice | undefined> {
  const prompt = `The list of models is not available right now. Enter the ID of the model for ${name}.`;
  const id = (await vscode.window.showInputBox({ title: TITLE, prompt, placeHolder: 'glm-5-2' }))?.trim();
  return id === undefined || id === '' ? undefined : { id };
}

/** True if the proxy runs and keeps its address; otherwise tells the user why not. */
export async function isReady({ api, settings }: CommandContext): Promise<boolean> {
  if (settings().proxy.port === 0) {
    const message =
      'The address changes with each start, because sealedProxy.port is 0. Set a fixed port, then connect the assistant.';
    await offerCommands(vscode.window.showErrorMessage, message, 'openSettings');
    return false;
  }
  try {
    await api.getBaseUrl();
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(`Assistants cannot be connected right now: ${reason}`);
    return false;
  }
}
