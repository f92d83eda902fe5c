// Writes the settings that keep VS Code's side prompts sealed, once the user has agreed, and undoes that.
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { ChatSettings } from '../../../assistants/chatSettings.ts';
import type { Undone } from '../../../assistants/chatSettings.ts';
import { undoEntries } from '../../../assistants/undoStore.ts';
import { chatModels } from '../../../chat/models.ts';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';
import type { OfferedModel } from '../../../chat/sidePrompts/facts.ts';
import { recommendedChanges, sealingChanges, turningOffChanges } from '../../../chat/sidePrompts/judge.ts';
import type { SettingChange } from '../../../chat/sidePrompts/judge.ts';
import { proposeModels } from '../../../chat/sidePrompts/proposal.ts';
import type { ModelList } from '../../../chat/sidePrompts/proposal.ts';
import { SETTINGS } from '../../../chat/sidePrompts/settings.ts';
import type { SealingAction, SidePromptsSection } from '../../../dashboard/model.ts';
import { sidePromptsSection } from '../../../dashboard/sidePrompts.ts';
import { SEALING_TITLES, settingCount } from '../../../dashboard/sidePromptsText.ts';
import { NOTHING_TO_UNDO } from '../../../presentation/text.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asNotice } from '../../../shared/escape.ts';
import type { Core } from '../../core/core.ts';
import { openSettings } from '../../core/runCommand.ts';
import { userSettings } from '../../core/userSettings.ts';
import { pickModel } from '../assistants/chooseModel.ts';
import type { ChatProvider } from '../chat/chatProvider.ts';
import { offeredModels, plain } from './editorFacts.ts';
import { settingsFiles } from './settingsFiles.ts';
import { SidePrompts } from './sidePrompts.ts';

/** What the dashboard shows of side prompts, and what its buttons do. */
export interface Sealing {
  /** Null before the editor was read for the first time. */
  readonly section: () => Promise<SidePromptsSection | null>;
  readonly run: (action: SealingAction) => Promise<void>;
  /** Opens the settings that decide about the side prompt with this title. */
  readonly openSettings: (title: string) => Promise<void>;
}

/** What sealing works with. */
interface SidePromptsContext {
  readonly core: Core;
  readonly sidePrompts: SidePrompts;
  readonly chatSettings: ChatSettings;
  /** The backend's list of models, from which the editor's chat is offered some; it stays through pauses. */
  readonly catalogue: () => unknown;
}

export function registerSidePrompts(core: Core, chat: Pick<ChatProvider, 'catalogue'>) {
  const { context, secrets } = core;
  const sidePrompts = new SidePrompts(core);
  const files = settingsFiles(context.globalStorageUri);
  const chatSettings = new ChatSettings(userSettings, files, undoEntries(secrets));
  context.subscriptions.push(sidePrompts);
  const all: SidePromptsContext = { core, sidePrompts, chatSettings, catalogue: () => chat.catalogue };
  const sealing: Sealing = {
    section: () => section(all),
    run: (action) => ACTIONS[action](all),
    openSettings: (title) => openSettingsOf(all, title),
  };
  return { sidePrompts, chatSettings, sealing };
}

const TITLE = "Sealed Proxy: Keep VS Code's Chat Sealed";
const WRITE = 'Write Settings';

const ACTIONS: Readonly<Record<SealingAction, (context: SidePromptsContext) => Promise<void>>> = {
  seal: sealWithRecommended,
  sealWithOthers: sealWithChosen,
  turnOff: async (context) => write(context, turningOffChanges(await context.sidePrompts.facts())),
  undo,
};

async function section({
  sidePrompts,
  chatSettings,
  ...context
}: SidePromptsContext): Promise<SidePromptsSection | null> {
  const { reading } = sidePrompts;
  if (reading === undefined) return null;
  const offered = reading.facts.models.filter(({ vendor }) => vendor === OUR_VENDOR);
  return sidePromptsSection(reading, {
    recommended: proposeModels(modelList(context, offered)),
    offered: offered.length,
    undoable: (await chatSettings.undoable()).length,
  });
}

async function openSettingsOf({ sidePrompts }: SidePromptsContext, title: string): Promise<void> {
  const settings = sidePrompts.reading?.prompts.find((prompt) => prompt.title === title)?.settings ?? [];
  if (settings.length > 0) await openSettings(settings);
}

/** Our models, as the editor offers them now, and what the backend says about them. */
async function ourModels(context: SidePromptsContext): Promise<ModelList> {
  return modelList(context, await offeredModels(OUR_VENDOR));
}

function modelList(
  { core, catalogue }: Pick<SidePromptsContext, 'core' | 'catalogue'>,
  offered: readonly OfferedModel[],
): ModelList {
  const list = catalogue();
  return { offered, known: chatModels(list, core.settings().modelOverrides), list };
}

async function sealWithRecommended(context: SidePromptsContext): Promise<void> {
  const recommended = proposeModels(await ourModels(context));
  if (recommended === undefined) return;
  await write(context, recommendedChanges(await context.sidePrompts.facts(), recommended));
}

async function sealWithChosen(context: SidePromptsContext): Promise<void> {
  const models = await ourModels(context);
  const recommended = proposeModels(models);
  if (recommended === undefined) return;
  const choose = (purpose: string, { id }: OfferedModel) =>
    pickModel(TITLE, `Select a model for ${purpose}`, models.offered, models.known, id);
  const utility = await choose('titles, summaries and other short tasks', recommended.utility);
  if (utility === undefined) return;
  const agent = await choose('agents and inline chat', recommended.agent);
  if (agent === undefined) return;
  await write(context, sealingChanges(await context.sidePrompts.facts(), { utility, agent }));
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
  const detail = [
    ...lines,
    '',
    'To restore the previous values, select "Undo" in the section "Side Prompts" of the dashboard.',
  ].join('\n');
  const question = `Write ${settingCount(changes.length)}?`;
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, WRITE)) === WRITE;
}

async function report(context: SidePromptsContext, changes: readonly SettingChange[]): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const ignored = changes.filter(({ key, value }) => !isDeepStrictEqual(plain(configuration.get(key)), value));
  await context.sidePrompts.read();
  const sentences = [
    `${settingCount(changes.length)} written.`,
    ...(ignored.length === 0 ? [] : [`A workspace or a policy overrides these in this window: ${listOf(ignored)}.`]),
    ...(changes.some(({ key }) => key === SETTINGS.agentHost)
      ? ['VS Code may need a restart before the agent host offers the models of Sealed Proxy.']
      : []),
  ];
  context.core.inBackground(offerUndo(context, sentences.join(' ')));
}

/** The notification may stay for long. */
async function offerUndo(context: SidePromptsContext, message: string): Promise<void> {
  const answer = await vscode.window.showInformationMessage(asNotice(message), SEALING_TITLES.undo);
  if (answer === SEALING_TITLES.undo) await undo(context);
}

async function undo({ chatSettings, sidePrompts }: SidePromptsContext): Promise<void> {
  try {
    const undone = await chatSettings.undo();
    void vscode.window.showInformationMessage(undone === undefined ? NOTHING_TO_UNDO : describeUndone(undone));
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

function listOf(changes: readonly SettingChange[]): string {
  return changes.map(({ key }) => key).join(', ');
}
