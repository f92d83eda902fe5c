// The command "Keep VS Code's Chat Sealed…": shows where side prompts go, and writes the settings that keep them sealed.
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { ChatSettings } from '../../../assistants/chatSettings.ts';
import type { Undone } from '../../../assistants/chatSettings.ts';
import { undoEntries } from '../../../assistants/undoStore.ts';
import { chatModels } from '../../../chat/models.ts';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';
import type { OfferedModel } from '../../../chat/sidePrompts/facts.ts';
import { sealingChanges, turningOffChanges } from '../../../chat/sidePrompts/judge.ts';
import type { SettingChange } from '../../../chat/sidePrompts/judge.ts';
import { describeSealed, markText, withoutChats } from '../../../chat/sidePrompts/mark.ts';
import type { Mark, SidePrompt } from '../../../chat/sidePrompts/mark.ts';
import { proposeAgentModel, proposeUtilityModel } from '../../../chat/sidePrompts/proposal.ts';
import type { ModelList, SealingModels } from '../../../chat/sidePrompts/proposal.ts';
import { SETTINGS } from '../../../chat/sidePrompts/settings.ts';
import { describeStatus, summaryOf } from '../../../presentation/statusText.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asLabel, asNotice } from '../../../shared/escape.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { offerCommands } from '../../core/runCommand.ts';
import { userSettings } from '../../core/userSettings.ts';
import { pickModel } from '../assistants/chooseModel.ts';
import type { ChatProvider } from '../chat/chatProvider.ts';
import { offeredModels, plain } from './editorFacts.ts';
import { settingsFiles } from './settingsFiles.ts';
import { SidePrompts } from './sidePrompts.ts';

/** What the command needs besides the window. */
interface SidePromptsContext {
  readonly core: Core;
  readonly sidePrompts: SidePrompts;
  readonly chatSettings: ChatSettings;
  /** The backend's list of models, from which the editor's chat is offered some; it stays through pauses. */
  readonly catalogue: () => unknown;
}

export function registerSidePrompts(core: Core, chat: Pick<ChatProvider, 'catalogue'>) {
  const { context, secrets } = core;
  const files = settingsFiles(context.globalStorageUri);
  const sidePrompts = new SidePrompts(core);
  const chatSettings = new ChatSettings(userSettings, files, undoEntries(secrets));
  context.subscriptions.push(sidePrompts);
  return {
    sidePrompts,
    chatSettings,
    commands: {
      keepChatSealed: () => keepChatSealed({ core, sidePrompts, chatSettings, catalogue: () => chat.catalogue }),
    } satisfies Commands,
  };
}

const TITLE = "Sealed Proxy: Keep VS Code's Chat Sealed";
const WRITE = 'Write Settings';
const UNDO = 'Undo';

interface Row extends vscode.QuickPickItem {
  readonly run?: () => Promise<void>;
}

async function keepChatSealed(context: SidePromptsContext): Promise<void> {
  const prompts = withoutChats(await context.sidePrompts.read());
  const actions = await actionRows(context);
  const heading: Row = { label: 'Side prompts', kind: vscode.QuickPickItemKind.Separator };
  const row = await vscode.window.showQuickPick([...actions, heading, ...prompts.map(promptRow)], {
    title: TITLE,
    placeHolder: 'Select an action, or a side prompt to open its settings',
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  await row?.run?.();
}

async function actionRows(context: SidePromptsContext): Promise<readonly Row[]> {
  const models = await ourModels(context);
  const proposed = proposal(models);
  const off = turningOffChanges(await context.sidePrompts.facts());
  const undoable = await context.chatSettings.undoable();
  return [
    proposed === undefined
      ? {
          label: '$(shield) Seal with Recommended Models',
          detail: 'Sealed Proxy offers no models now.',
          run: () => explainNoModels(context.core),
        }
      : {
          label: '$(shield) Seal with Recommended Models',
          detail: describeModels(proposed),
          run: () => seal(context, proposed),
        },
    ...(models.offered.length < 2 || proposed === undefined
      ? []
      : [{ label: '$(list-selection) Seal with Other Models…', run: () => sealWithChosen(context, models, proposed) }]),
    ...(off.length === 0
      ? []
      : [
          {
            label: '$(circle-slash) Turn Off What Cannot Be Sealed',
            detail: "Ghost text, next edit suggestions, Copilot's subagents, dictation corrections.",
            run: () => write(context, off),
          },
        ]),
    ...(undoable.length === 0
      ? []
      : [
          {
            label: `$(discard) ${UNDO}`,
            detail: `Restores the previous values of ${settingCount(undoable.length)}.`,
            run: () => undo(context),
          },
        ]),
  ];
}

const ICONS: Readonly<Record<Mark['kind'], string>> = {
  sealed: 'shield',
  off: 'circle-slash',
  follows: 'arrow-right',
  goesTo: 'warning',
  cannotBeSealed: 'warning',
  unknown: 'question',
};

function promptRow({ title, mark, reason, settings }: SidePrompt): Row {
  return {
    label: `$(${ICONS[mark.kind]}) ${asLabel(title)}`,
    description: asLabel(markText(mark)),
    detail: asLabel(reason, 300),
    ...(settings.length === 0 ? {} : { run: () => openSettings(settings) }),
  };
}

async function openSettings(keys: readonly string[]): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${keys.join(',')}`);
}

/** Our models, as the editor offers them, and what the backend says about them. */
async function ourModels({ core, catalogue }: SidePromptsContext): Promise<ModelList> {
  const list = catalogue();
  return { offered: await offeredModels(OUR_VENDOR), known: chatModels(list, core.settings().modelOverrides), list };
}

function proposal(models: ModelList): SealingModels | undefined {
  const [utility, agent] = [proposeUtilityModel(models), proposeAgentModel(models)];
  return utility === undefined || agent === undefined ? undefined : { utility, agent };
}

function describeModels({ utility, agent }: SealingModels): string {
  return `Short tasks: ${asLabel(utility.name)}. Agents and inline chat: ${asLabel(agent.name)}.`;
}

async function explainNoModels({ supervisor: { status } }: Core): Promise<void> {
  const message = `VS Code's chat cannot be sealed now, because Sealed Proxy offers no models. ${summaryOf(describeStatus(status))}`;
  await offerCommands(vscode.window.showWarningMessage, asNotice(message), 'setApiKey', 'diagnose');
}

async function sealWithChosen(context: SidePromptsContext, models: ModelList, proposed: SealingModels): Promise<void> {
  const choose = (purpose: string, { id }: OfferedModel) =>
    pickModel(TITLE, `Select a model for ${purpose}`, models.offered, models.known, id);
  const utility = await choose('titles, summaries and other short tasks', proposed.utility);
  if (utility === undefined) return;
  const agent = await choose('agents and inline chat', proposed.agent);
  if (agent !== undefined) await seal(context, { utility, agent });
}

async function seal(context: SidePromptsContext, models: SealingModels): Promise<void> {
  await write(context, sealingChanges(await context.sidePrompts.facts(), models));
}

/** Shows the changes, and writes them if the user agrees. */
async function write(context: SidePromptsContext, changes: readonly SettingChange[]): Promise<void> {
  if (changes.length === 0) {
    void vscode.window.showInformationMessage('Nothing to change: these settings already have the right values.');
    return;
  }
  if (!(await agree(changes))) return;
  try {
    await context.chatSettings.apply(changes);
  } catch (error) {
    const reason = errorMessage(error);
    void vscode.window.showErrorMessage(asNotice(`The settings were not changed. ${reason}`));
    return;
  }
  await report(context, changes);
}

async function agree(changes: readonly SettingChange[]): Promise<boolean> {
  const configuration = vscode.workspace.getConfiguration();
  const lines = changes.map(({ key, value }) => {
    const before: unknown = configuration.inspect(key)?.globalValue;
    return `${key}: ${before === undefined ? 'not set' : JSON.stringify(before)} → ${JSON.stringify(value)}`;
  });
  const detail = [...lines, '', 'To restore the previous values, run this command again and select "Undo".'].join('\n');
  const question = `Write ${settingCount(changes.length)}?`;
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, WRITE)) === WRITE;
}

async function report(context: SidePromptsContext, changes: readonly SettingChange[]): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const ignored = changes.filter(({ key, value }) => !isDeepStrictEqual(plain(configuration.get(key)), value));
  const where = describeSealed(await context.sidePrompts.read());
  const sentences = [
    `${settingCount(changes.length)} written. ${where} Run the command again to see the others.`,
    ...(ignored.length === 0 ? [] : [`A workspace or a policy overrides these in this window: ${listOf(ignored)}.`]),
    ...(changes.some(({ key }) => key === SETTINGS.agentHost)
      ? ['VS Code may need a restart before the agent host offers the models of Sealed Proxy.']
      : []),
  ];
  const answer = await vscode.window.showInformationMessage(asNotice(sentences.join(' ')), UNDO);
  if (answer === UNDO) await undo(context);
}

async function undo({ chatSettings, sidePrompts }: SidePromptsContext): Promise<void> {
  try {
    const undone = await chatSettings.undo();
    if (undone !== undefined) void vscode.window.showInformationMessage(describeUndone(undone));
  } catch (error) {
    const reason = errorMessage(error);
    void vscode.window.showErrorMessage(asNotice(`The previous values were not restored. ${reason}`));
  }
  await sidePrompts.read();
}

function describeUndone({ exact, kept }: Undone): string {
  if (exact) return 'The previous values are restored. settings.json is exactly as it was before.';
  const others =
    kept.length === 0 ? '' : ` You have changed these settings since, so they keep their values: ${kept.join(', ')}.`;
  return `The previous values are restored. Other changes were made to settings.json, or this window cannot read it, so its formatting may differ.${others}`;
}

function settingCount(count: number): string {
  return count === 1 ? '1 user setting' : `${count} user settings`;
}

function listOf(changes: readonly SettingChange[]): string {
  return changes.map(({ key }) => key).join(', ');
}
