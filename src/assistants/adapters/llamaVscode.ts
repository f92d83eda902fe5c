import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { refused } from '../files/change.ts';
import type { Plan, Refused } from '../files/change.ts';
import { changedSincePreview } from '../files/configFile.ts';
import { planOf } from '../files/preview.ts';
import { describeChange } from '../formats/format.ts';
import type { Assistant, AssistantEndpoint } from './assistant.ts';
import { classifyConfig } from './configState.ts';
import type { Reading } from './configState.ts';

/** The user settings of VS Code. */
export interface UserSettings {
  /** Undefined if the user has not set it. */
  read(name: string): unknown;
  /** Whether the open workspace overrides the user setting. */
  isOverridden(name: string): boolean;
  /** Undefined removes the user setting. */
  write(name: string, value: unknown): Promise<void>;
}

type Values = Readonly<Record<string, unknown>>;

/** Its ID. */
export const LLAMA_VSCODE = 'llama-vscode';

const API_VERSION = 'llama-vscode.ai_api_version';
const NAMES = [
  'llama-vscode.endpoint_chat',
  'llama-vscode.endpoint_tools',
  API_VERSION,
  'llama-vscode.ai_model',
  'llama-vscode.api_key_chat',
  'llama-vscode.api_key_tools',
];
/** Those that connecting sets in any case. */
export const ENTRY_NAMES: readonly string[] = NAMES.filter((name) => name !== API_VERSION);
const PLACE = "VS Code's settings (llama-vscode)";
const EDITED = 'The llama-vscode settings were edited since, so they cannot be restored. Change them yourself.';
const FAILED = 'VS Code could not write the llama-vscode settings. They were not changed.';

/** https://github.com/ggml-org/llama.vscode. Its settings are handled as JSON text, like a file. */
export function llamaVscode(settings: UserSettings): Assistant {
  const read = () => textOf(Object.fromEntries(NAMES.map((each) => [each, settings.read(each)])));
  return {
    id: LLAMA_VSCODE,
    name: 'llama.vscode',
    needsModel: true,
    next: 'Its chat and tools use it immediately. The access key is stored in your settings as plain text.',
    extension: 'ggml-org.llama-vscode',
    detect: () => Promise.resolve(false), // the extension alone decides
    plan: (endpoint) => Promise.resolve(overridden(settings) ?? plan(read(), endpoint)),
    apply: async (change) => {
      if (read() !== change.before) return changedSincePreview(PLACE);
      return (await writeAll(settings, change.before, change.after)) ?? { ...change, kind: 'applied' };
    },
    undo: async ({ before, after }) => {
      if (read() !== after) return refused(EDITED);
      return (await writeAll(settings, after, before)) ?? { kind: 'undone' };
    },
    disconnect: async ({ applied, isOurs }) => {
      const now = read();
      const values = valuesOf(now);
      if (applied?.after === now) return (await writeAll(settings, now, applied.before)) ?? { kind: 'undone' };
      if (!Object.values(values).some((value) => isAccessKey(value) && isOurs(value))) return { kind: 'unchanged' };
      // The endpoints and the model were set together with the keys.
      const rest = textOf({ [API_VERSION]: values[API_VERSION] });
      return (await writeAll(settings, now, rest)) ?? { kind: 'undone' };
    },
    inspect: (expected) => Promise.resolve(classifyConfig(overridden(settings) ?? readingOf(read()), expected)),
    routes: () => Promise.resolve({ routes: [{ prompts: 'Chat', destination: { kind: 'unknown' } }], watched: [] }),
  };
}

/** A workspace from elsewhere could send our key to another server. */
function overridden(settings: UserSettings): Refused | undefined {
  const name = NAMES.find((each) => settings.isOverridden(each));
  return name === undefined ? undefined : refused(`The open workspace sets ${name}. Remove it there, then try again.`);
}

function plan(before: string, { baseUrl, key, model }: AssistantEndpoint): Plan {
  const known = valuesOf(before);
  const endpoint = baseUrl.replace(/\/v1$/, ''); // the version is a setting of its own
  const wanted: Values = {
    'llama-vscode.endpoint_chat': endpoint,
    'llama-vscode.endpoint_tools': endpoint,
    'llama-vscode.ai_model': model.id,
    'llama-vscode.api_key_chat': key,
    'llama-vscode.api_key_tools': key,
    ...(API_VERSION in known && { [API_VERSION]: 'v1' }), // the default
  };
  const changes = Object.entries(wanted)
    .filter(([name, value]) => known[name] !== value)
    .map(([name, value]) => describeChange(name, known[name], value));
  return planOf({ path: PLACE, before, after: textOf({ ...known, ...wanted }) }, changes, key);
}

/** Writes all settings; if one fails, restores all. */
async function writeAll(settings: UserSettings, from: string, to: string | undefined): Promise<Refused | undefined> {
  const [before, after] = [valuesOf(from), valuesOf(to)];
  const changed = NAMES.filter((each) => before[each] !== after[each]);
  try {
    for (const each of changed) await settings.write(each, after[each]);
    return undefined;
  } catch {
    for (const each of changed) await settings.write(each, before[each]).catch(() => undefined);
    return refused(FAILED);
  }
}

function readingOf(text: string): Reading {
  const values = valuesOf(text);
  const { 'llama-vscode.endpoint_chat': endpoint, 'llama-vscode.api_key_chat': key } = values;
  if (endpoint === undefined && key === undefined) return {};
  const baseUrl = typeof endpoint === 'string' ? `${endpoint}/v1` : endpoint;
  return { entry: { baseUrl, key, model: values['llama-vscode.ai_model'] } };
}

/** In a fixed order, so that equal values give equal texts. Without values that are undefined. */
function textOf(values: Values): string {
  return JSON.stringify(Object.fromEntries(NAMES.map((each) => [each, values[each]])), null, 2);
}

function valuesOf(text = '{}'): Values {
  return fieldsOf(parseJson(Buffer.from(text)));
}
