// "Connect an Assistant…": what a person is shown and asked. What is true and what is done is connections.ts.
import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { describeConfigState, rowsFor } from '../views/assistantRows.ts';
import type { UnsupportedAssistant, Snippet } from '../../assistants/snippets.ts';
import type { Assistant, Checked, ModelChoice, Preview } from '../../assistants/types.ts';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantService, AssistantState, Proposal } from '../../assistants/assistantService.ts';
import type { Documents } from '../views/documents.ts';
import { actionLabel } from '../views/statusBar.ts';
import { asLabel, asNotice } from '../../presentation/plainText.ts';

export interface ConnectContext {
  readonly connections: AssistantService;
  /** Starts the proxy if it is not running; rejects with a sentence if it cannot. */
  readonly baseUrl: () => Promise<string>;
  readonly models: () => readonly ModelChoice[];
  readonly documents: Pick<Documents, 'compare'>;
  /** Each start of the proxy has another port. */
  readonly isPortRandom: () => boolean;
}

const { t } = vscode.l10n;
const TITLE = t('Sealed Proxy: Connect an Assistant');
/** In characters; the whole change is shown beside it. */
const LONGEST_DETAIL = 500;

/** The whole command. */
export async function connectAssistant(context: ConnectContext): Promise<void> {
  const all = await context.connections.look();
  const row = await vscode.window.showQuickPick(rowsFor(all), {
    title: TITLE,
    placeHolder: t('Which assistant shall use the private endpoint?'),
    matchOnDescription: true,
  });
  if (row?.choice === undefined) return;
  switch (row.choice.kind) {
    case 'mend':
      await mendAssistants(context);
      break;
    case 'written':
      await chooseFor(context, row.choice.found);
      break;
    case 'copied':
      await copy(context, row.choice.snippet);
  }
}

/** Everything that points to an old place, in one step. */
export async function mendAssistants(context: ConnectContext): Promise<void> {
  const { connections } = context;
  if (!(await isReady(context))) return;
  const proposals = await connections.proposeMending(await connections.look());
  const changes = proposals.filter((each) => each.kind === 'proposal');
  const refusals = proposals.filter((each) => each.kind === 'refused').map(({ message }) => message);
  if (changes.length > 0 && (await agreeToMending(changes, refusals))) {
    const mended: Proposal[] = [];
    for (const change of changes) {
      const result = await connections.agree(change);
      if (result.kind === 'refused') refusals.push(result.message);
      else mended.push(change);
    }
    if (mended.length > 0) void vscode.window.showInformationMessage(t('Mended: {0}.', namesOf(mended)));
  }
  for (const message of refusals) void vscode.window.showErrorMessage(message);
}

async function agreeToMending(changes: readonly Proposal[], refusals: readonly string[]): Promise<boolean> {
  const mend = t('Mend');
  const lines = changes.flatMap(({ assistant, preview }) => [
    `${assistant.name}: ${preview.path}`,
    ...preview.changes.map((change) => `   ${change}`),
  ]);
  const question = t('Mend {0}?', namesOf(changes));
  const detail = [...lines, ...refusals].join('\n');
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, mend)) === mend;
}

/** What to do with one that is connected already; else it is connected. */
async function chooseFor(context: ConnectContext, found: AssistantState): Promise<void> {
  const { assistant, configState: configState, undoable } = found;
  if (configState.kind !== 'current' && configState.kind !== 'old' && !undoable) {
    await connect(context, assistant);
    return;
  }
  const actions = [
    {
      label: `$(pulse) ${t('Check')}`,
      detail: t('Sends one tiny request as it would.'),
      run: () => check(context, assistant),
    },
    {
      label: `$(edit) ${configState.kind === 'old' ? t('Mend, or choose another model') : t('Choose another model')}`,
      run: () => connect(context, assistant),
    },
    ...(undoable
      ? [
          {
            label: `$(discard) ${t('Undo')}`,
            detail: t('Restores what was there before, and revokes its access key.'),
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

async function connect(context: ConnectContext, assistant: Assistant): Promise<void> {
  if (!(await isReady(context))) return;
  const model = await chooseModel(context, assistant);
  if (model === undefined) return;
  const proposal = await context.connections.propose(assistant, model);
  if (proposal.kind === 'refused') {
    void vscode.window.showErrorMessage(proposal.message);
    return;
  }
  if (proposal.kind === 'proposal') {
    if (!(await agree(context, assistant, proposal.preview))) return;
    const result = await context.connections.agree(proposal);
    if (result.kind === 'refused') {
      void vscode.window.showErrorMessage(result.message);
      return;
    }
  }
  await vscode.commands.executeCommand('setContext', 'sealedProxy.assistantConnected', true);
  const [checkIt, takeBack] = [t('Check'), t('Undo')];
  const said = t('{0} is connected. {1}', assistant.name, assistant.next);
  const answer = await vscode.window.showInformationMessage(said, checkIt, takeBack);
  if (answer === checkIt) await check(context, assistant);
  if (answer === takeBack) await undo(context, assistant);
}

/** Shows what will be written where, beside the question. */
async function agree({ documents }: ConnectContext, { name }: Assistant, preview: Preview): Promise<boolean> {
  const { path, exists, before, after, changes } = preview;
  const title = t('{0}: before and after (keys are covered)', basename(path));
  const close = await documents.compare(basename(path), before, after, title);
  const backup = exists && isAbsolute(path) ? t('The file of before stays beside it, as a backup.') : '';
  const write = {
    label: `$(check) ${exists ? t('Write to {0}', path) : t('Make {0}', path)}`,
    detail: asLabel(`${changes.join(' · ')}. ${backup}`, LONGEST_DETAIL),
  };
  const answer = await vscode.window.showQuickPick([write, { label: `$(close) ${t('Cancel')}` }], {
    title: t('Connect {0}', name),
    placeHolder: t('This will be written. An access key is made for {0} alone.', name),
    ignoreFocusOut: true,
  });
  await close();
  return answer === write;
}

async function undo({ connections }: ConnectContext, assistant: Assistant): Promise<void> {
  const result = await connections.undo(assistant);
  if (result.kind === 'refused') {
    void vscode.window.showErrorMessage(result.message);
    return;
  }
  const { left } = result;
  const said =
    left === undefined
      ? t('{0} is as it was before, and its access key is revoked.', assistant.name)
      : t('The access key of {0} is revoked, so it can do nothing more. {1}', assistant.name, left);
  void vscode.window.showInformationMessage(said);
}

async function check({ connections }: ConnectContext, assistant: Assistant): Promise<void> {
  await tellCheck(assistant.name, () => connections.check(assistant));
}

async function tellCheck(name: string, act: () => Promise<Checked>): Promise<void> {
  const title = t('Checking {0}', name);
  const location = vscode.ProgressLocation.Notification;
  const checked = await vscode.window.withProgress({ location, title }, act);
  const message = asNotice(checked.message); // it names the model, as a file or the backend does
  if (checked.kind === 'answered') void vscode.window.showInformationMessage(t('{0} works: {1}', name, message));
  else void vscode.window.showErrorMessage(t('{0} does not work: {1}', name, message));
}

async function copy(context: ConnectContext, snippet: Snippet | UnsupportedAssistant): Promise<void> {
  if (snippet.kind === 'impossible') {
    void vscode.window.showWarningMessage(snippet.message, { modal: true });
    return;
  }
  if (!(await isReady(context))) return;
  const model = await chooseModel(context, snippet);
  if (model === undefined) return;
  const shell = process.platform === 'win32' ? 'powershell' : 'posix';
  await vscode.env.clipboard.writeText(await context.connections.write(snippet, model, shell));
  await vscode.commands.executeCommand('setContext', 'sealedProxy.assistantConnected', true);
  const checkIt = t('Check');
  const said = t(
    'The text for {0} is on the clipboard, with an access key of its own. {1}',
    snippet.name,
    snippet.hint,
  );
  if ((await vscode.window.showInformationMessage(said, checkIt)) !== checkIt) return;
  await tellCheck(snippet.name, () => context.connections.checkSnippet(snippet, model));
}

async function chooseModel(
  { models }: ConnectContext,
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
  const placeHolder = t('Which model shall {0} use?', name);
  return (await vscode.window.showQuickPick(rows, { title: TITLE, placeHolder, matchOnDescription: true }))?.model;
}

/** While the backend cannot be asked, a person may know. */
async function askModel(name: string): Promise<ModelChoice | undefined> {
  const prompt = t('The backend cannot be asked for its models at the moment. Which one shall {0} use?', name);
  const id = (await vscode.window.showInputBox({ title: TITLE, prompt, placeHolder: 'glm-5-2' }))?.trim();
  return id === undefined || id === '' ? undefined : { id };
}

async function isReady({ baseUrl, isPortRandom }: ConnectContext): Promise<boolean> {
  if (isPortRandom()) {
    const openSettings = actionLabel('openSettings');
    const said = t('sealedProxy.port is 0, so the address changes with each start. Choose a port, then connect.');
    if ((await vscode.window.showErrorMessage(said, openSettings)) === openSettings)
      await vscode.commands.executeCommand('sealedProxy.openSettings');
    return false;
  }
  try {
    await baseUrl();
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(t('No assistant can be connected now: {0}', reason));
    return false;
  }
}
