// Asks for the models of an assistant.
import * as vscode from 'vscode';
import type { ModelChoice } from '../../../assistants/adapters/assistant.ts';
import { chatModels, describeCapabilities } from '../../../chat/models.ts';
import type { ChatModel } from '../../../chat/models.ts';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';
import { proposeAgentModel, proposeUtilityModel } from '../../../chat/sidePrompts/proposal.ts';
import type { ModelList } from '../../../chat/sidePrompts/proposal.ts';
import { asLabel } from '../../../shared/escape.ts';
import type { AssistantsContext } from './context.ts';

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
  context: AssistantsContext,
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
  const list = modelList(context);
  const described = list.known;
  const main = needsSmallModel ? `the main work of ${name}` : name;
  const model = await pickModel(title, `Select a model for ${main}`, known, described, proposeAgentModel(list)?.id);
  if (model === undefined || !needsSmallModel) return model && { model };
  const question = `Select a model for small tasks of ${name}, such as titles and summaries`;
  const smallModel = await pickModel(title, question, known, described, proposeUtilityModel(list)?.id);
  return smallModel && { model, smallModel };
}

/** What the proposals are made from. */
function modelList({ core, catalogue }: AssistantsContext): ModelList {
  const list = catalogue();
  const known = chatModels(list, core.settings().modelOverrides);
  return { offered: known.map(({ id, name }) => ({ vendor: OUR_VENDOR, id, name })), known, list };
}

/**
 * Asks for one of the models. The recommended one comes first.
 * @param described what the backend says about its models
 * @param recommended an ID
 */
export async function pickModel<Model extends ModelChoice>(
  title: string,
  placeHolder: string,
  models: readonly Model[],
  described: readonly ChatModel[],
  recommended: string | undefined,
): Promise<Model | undefined> {
  const sorted = models.toSorted((one, other) => Number(other.id === recommended) - Number(one.id === recommended));
  const rows = sorted.map((model) => {
    const facts = described.find(({ id }) => id === model.id);
    return {
      label: asLabel(model.name ?? model.id),
      description: asLabel(model.id) + (model.id === recommended ? ' (recommended)' : ''),
      ...(facts && { detail: describeCapabilities(facts) }),
      model,
    };
  });
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
