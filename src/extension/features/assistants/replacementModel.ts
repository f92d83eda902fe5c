// What happens to requests for models that the backend does not offer: a setting for each API, which the user chooses while
// connecting an assistant. Undoing the connection restores it.
import * as vscode from 'vscode';
import type { Assistant } from '../../../assistants/adapters/assistant.ts';
import type { SecretEntries } from '../../../keys/secrets.ts';
import { asLabel } from '../../../shared/escape.ts';
import { fieldsOf, parseJson } from '../../../shared/json.ts';
import { SECTION } from '../../core/settings.ts';
import type { AssistantsContext } from './context.ts';

/** The settings, and how the assistants show that a model is not offered. Claude Code 2.1.330 has one text for status 404. */
const SETTINGS = {
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

/** A change of a setting by this extension. `before`: null if the user had not set it. */
interface Replaced {
  readonly before: string | null;
  readonly written: string;
}

type Target = Pick<Assistant, 'name' | 'dialect'>;

/**
 * Asks which model answers requests for models that the backend does not offer, if the assistant's API has that setting.
 * @returns the value to write; null: nothing to write; undefined: the user cancelled
 */
export async function askReplacement(
  { core }: AssistantsContext,
  { name, dialect }: Target,
  id: string,
): Promise<string | null | undefined> {
  if (dialect === undefined) return null;
  const { setting, api, refusal } = SETTINGS[dialect];
  const current = core.settings().proxy[setting];
  if (current === id) return null;
  const replace = {
    label: `$(arrow-swap) Use ${asLabel(id)} instead`,
    detail: `For all programs that use ${api}: sets sealedProxy.${setting}.`,
  };
  const keep = {
    label: current === '' ? '$(error) Return an error' : `$(arrow-swap) Use ${asLabel(current)} instead`,
    detail: current === '' ? `${name} ${refusal}` : 'Keeps the current setting.',
  };
  const answer = await vscode.window.showQuickPick([replace, keep], {
    title: `Connect ${name}: unknown models`,
    // The input shows about 80 characters.
    placeHolder: `If ${name} requests a model that the backend does not offer`,
    ignoreFocusOut: true,
  });
  if (answer === undefined) return undefined;
  return answer === replace ? id : null;
}

/** Writes what the user has answered, and remembers the user's own value on this computer. */
export async function writeReplacement(
  context: AssistantsContext,
  { dialect }: Target,
  written: string | null,
): Promise<void> {
  if (dialect === undefined || written === null) return;
  const { setting } = SETTINGS[dialect];
  const known = await replaced(context, setting);
  const current = globalValue(setting);
  const before = known !== undefined && known.written === current ? known.before : (current ?? null);
  await write(setting, written);
  await stored(context).set(setting, JSON.stringify({ before, written } satisfies Replaced));
}

/**
 * Restores the user's own value, unless the user has changed it since.
 * @returns a sentence that says what the user has to do, empty if there is nothing; undefined if nothing was to be restored
 */
export async function restoreReplacement(context: AssistantsContext, { dialect }: Target): Promise<string | undefined> {
  if (dialect === undefined) return undefined;
  const { setting } = SETTINGS[dialect];
  const known = await replaced(context, setting);
  if (known === undefined) return undefined;
  const { before, written } = known;
  try {
    if (globalValue(setting) === written) await write(setting, before ?? undefined);
  } catch {
    const remedy = before === null ? 'Remove it' : `Set it to ${JSON.stringify(before)}`;
    return `The setting sealedProxy.${setting} could not be restored. ${remedy} yourself.`;
  }
  await stored(context).delete(setting);
  return '';
}

async function replaced(context: AssistantsContext, setting: string): Promise<Replaced | undefined> {
  const { before, written } = fieldsOf(parseJson((await stored(context).get(setting)) ?? ''));
  if (typeof written !== 'string') return undefined;
  return { before: typeof before === 'string' ? before : null, written };
}

/** Kept for each computer, as the setting is. */
function stored({ core }: AssistantsContext): SecretEntries {
  return core.secrets.entries('replacedModel');
}

function globalValue(setting: string): string | undefined {
  return vscode.workspace.getConfiguration(SECTION).inspect<string>(setting)?.globalValue;
}

async function write(setting: string, value: string | undefined): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(setting, value, vscode.ConfigurationTarget.Global);
}
