// Asks for the models of an assistant, and what happens to requests for other models.
import * as vscode from 'vscode';
import type { Assistant, ModelChoice } from '../../assistants/types.ts';
import { chatModels } from '../../chat/models.ts';
import { OUR_VENDOR } from '../../chat/sidePrompts/facts.ts';
import { proposeAgentModel, proposeUtilityModel } from '../../chat/sidePrompts/proposal.ts';
import type { ModelList } from '../../chat/sidePrompts/proposal.ts';
import { asLabel } from '../../shared/escape.ts';
import type { CommandContext } from './commandContext.ts';

/** An assistant or a snippet. */
interface Target {
  readonly name: string;
  readonly needsModel?: boolean;
  readonly needsSmallModel?: boolean | undefined;
}

export interface ChosenModels {
  readonly model: ModelChoice;
  readonly smallModel?: ModelChoice | undefined;
}

/** Undefined if the user cancels. */
export async function chooseModels(
  context: CommandContext,
  title: string,
  { name, needsModel = true, needsSmallModel = false }: Target,
): Promise<ChosenModels | undefined> {
  const known = context.models();
  const [first] = known;
  if (first === undefined) {
    const model = await askModel(title, name);
    return model && { model, smallModel: needsSmallModel ? model : undefined };
  }
  if (!needsModel) return { model: first };
  if (!needsSmallModel) {
    const model = await choose(title, `Select a model for ${name}`, known, undefined);
    return model && { model };
  }
  const list = modelList(context);
  const model = await choose(title, `Select a model for the main work of ${name}`, known, proposeAgentModel(list)?.id);
  if (model === undefined) return undefined;
  const question = `Select a model for small tasks of ${name}, such as titles and summaries`;
  const smallModel = await choose(title, question, known, proposeUtilityModel(list)?.id);
  return smallModel && { model, smallModel };
}

/** What the proposals are made from. */
function modelList({ catalogue, settings }: CommandContext): ModelList {
  const list = catalogue();
  const known = chatModels(list, settings().modelOverrides);
  return { offered: known.map(({ id, name }) => ({ vendor: OUR_VENDOR, id, name })), known, list };
}

/** The proposed model comes first. */
async function choose(
  title: string,
  placeHolder: string,
  known: readonly ModelChoice[],
  proposed: string | undefined,
): Promise<ModelChoice | undefined> {
  const sorted = known.toSorted((one, other) => Number(other.id === proposed) - Number(one.id === proposed));
  const rows = sorted.map((model) => ({
    label: asLabel(model.name ?? model.id),
    description: asLabel(model.id) + (model.id === proposed ? ' (proposed)' : ''),
    model,
  }));
  const options = { title, placeHolder, matchOnDescription: true, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(rows, options))?.model;
}

/** The user may know a model while the backend's list is not available. */
async function askModel(title: string, name: string): Promise<ModelChoice | undefined> {
  const prompt = `The list of models is not available right now. Enter the ID of the model that ${name} should use.`;
  const options = { title, prompt, placeHolder: 'glm-5-2', ignoreFocusOut: true };
  const id = (await vscode.window.showInputBox(options))?.trim();
  return id === undefined || id === '' ? undefined : { id };
}

/** The settings, and how the assistants show that a model is not offered. Claude Code 2.1.330 has one text for status 404. */
const REPLACEMENTS = {
  messages: {
    setting: 'messagesModel',
    api: "Anthropic's Messages API",
    refusal: 'says that there is an issue with the selected model.',
  },
  responses: {
    setting: 'responsesModel',
    api: "OpenAI's Responses API",
    refusal: 'shows an error that lists the models.',
  },
} as const;

/** Offers to send requests for models that the backend does not offer to the chosen one. Changes nothing if cancelled. */
export async function offerReplacement(
  { settings }: CommandContext,
  { name, dialect }: Pick<Assistant, 'name' | 'dialect'>,
  { id }: ModelChoice,
): Promise<void> {
  if (dialect === undefined) return;
  const { setting, api, refusal } = REPLACEMENTS[dialect];
  const current = settings().proxy[setting];
  if (current === id) return;
  const replace = {
    label: `$(arrow-swap) Send them to ${asLabel(id)}`,
    detail: `Sets sealedProxy.${setting}, for all programs that use ${api}.`,
  };
  const keep = {
    label: current === '' ? '$(error) Refuse them' : `$(arrow-swap) Send them to ${asLabel(current)}`,
    detail: current === '' ? `${name} ${refusal}` : 'Keeps the current setting.',
  };
  const answer = await vscode.window.showQuickPick([replace, keep], {
    title: `Connect ${name}`,
    placeHolder: 'What should happen to requests for models that the backend does not offer?',
    ignoreFocusOut: true,
  });
  if (answer !== replace) return;
  await vscode.workspace.getConfiguration('sealedProxy').update(setting, id, vscode.ConfigurationTarget.Global);
}
