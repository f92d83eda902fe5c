import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import { changedSincePreview, refused } from '../files/configFile.ts';
import { changeOf, describeChange } from '../preview.ts';
import type { Assistant, AssistantEndpoint, Plan, Refused } from '../types.ts';

/** The user settings of one extension, by their names without its prefix. */
export interface ExtensionSettings {
  isInstalled(): boolean;
  /** Undefined if the user has not set it. */
  read(name: string): unknown;
  /** Whether the open workspace overrides the user setting. */
  isOverridden(name: string): boolean;
  /** Undefined removes the user setting. */
  write(name: string, value: unknown): Promise<void>;
}

/** The endpoints are without `/v1`, which is a setting of its own. */
const NAMES = [
  'endpoint_chat',
  'endpoint_tools',
  'ai_api_version',
  'ai_model',
  'api_key_chat',
  'api_key_tools',
] as const;
const PLACE = "VS Code's settings (llama-vscode)";
const EDITED = 'The llama-vscode settings were edited since, so they cannot be restored. Change them yourself.';
const FAILED = 'VS Code could not write the llama-vscode settings. They were not changed.';

/** https://github.com/ggml-org/llama.vscode. Its settings are handled as JSON text, like a file. */
export function llamaVscode(settings: ExtensionSettings): Assistant {
  const read = (): Record<string, unknown> =>
    Object.fromEntries(
      NAMES.map((each) => [each, settings.read(each)] as const).filter(([, value]) => value !== undefined),
    );
  return {
    id: 'llama-vscode',
    name: 'llama.vscode',
    needsModel: true,
    next: 'Its chat and tools use it immediately. The access key is stored in your settings as plain text.',
    detect: () => Promise.resolve(settings.isInstalled()),
    plan: (endpoint) => Promise.resolve(overridden(settings) ?? plan(read(), endpoint)),
    apply: async (change) => {
      if (textOf(read()) !== change.before) return changedSincePreview(PLACE);
      const failure = await writeAll(settings, valuesOf(change.before), valuesOf(change.after));
      return failure ?? { ...change, kind: 'applied' };
    },
    undo: async ({ before, after }) => {
      if (textOf(read()) !== after) return refused(EDITED);
      const failure = await writeAll(settings, valuesOf(after), valuesOf(before));
      return failure ?? { kind: 'undone' };
    },
    inspect: (expected) => Promise.resolve(classifyConfig(overridden(settings) ?? readingOf(read()), expected)),
  };
}

/** A workspace from elsewhere could send our key to another server. */
function overridden(settings: ExtensionSettings): Refused | undefined {
  const name = NAMES.find((each) => settings.isOverridden(each));
  if (name === undefined) return undefined;
  return refused(`The open workspace sets llama-vscode.${name}. Remove it there, then try again.`);
}

function plan(before: Record<string, unknown>, { baseUrl, key, model }: AssistantEndpoint): Plan {
  const endpoint = baseUrl.replace(/\/v1$/, '');
  const wanted: Record<string, unknown> = {
    endpoint_chat: endpoint,
    endpoint_tools: endpoint,
    ai_model: model.id,
    api_key_chat: key,
    api_key_tools: key,
    ...('ai_api_version' in before ? { ai_api_version: 'v1' } : {}), // the default
  };
  const after = { ...before, ...wanted };
  if (isDeepStrictEqual(before, after)) return { kind: 'unchanged' };
  const changes = Object.keys(wanted)
    .filter((each) => before[each] !== after[each])
    .map((each) => describeChange(each, before[each], after[each]));
  return changeOf({ path: PLACE, before: textOf(before), after: textOf(after) }, changes, key, true);
}

/** Writes all settings; if one fails, restores all. */
async function writeAll(
  settings: ExtensionSettings,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Promise<Refused | undefined> {
  const changed = NAMES.filter((each) => before[each] !== after[each]);
  try {
    for (const each of changed) await settings.write(each, after[each]);
    return undefined;
  } catch {
    for (const each of changed) await settings.write(each, before[each]).catch(() => undefined);
    return refused(FAILED);
  }
}

function readingOf({ endpoint_chat: endpoint, api_key_chat: key, ai_model: model }: Record<string, unknown>): Reading {
  if (endpoint === undefined && key === undefined) return {};
  return { entry: { baseUrl: typeof endpoint === 'string' ? `${endpoint}/v1` : endpoint, key, model } };
}

/** In a fixed order, so that equal values give equal texts. */
function textOf(values: Record<string, unknown>): string {
  const known = NAMES.filter((each) => values[each] !== undefined);
  return JSON.stringify(Object.fromEntries(known.map((each) => [`llama-vscode.${each}`, values[each]])), null, 2);
}

function valuesOf(text: string | undefined): Record<string, unknown> {
  const all = fieldsOf(parseJson(Buffer.from(text ?? '{}')));
  return Object.fromEntries(NAMES.map((each) => [each, all[`llama-vscode.${each}`]]));
}
