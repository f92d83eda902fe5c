import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { refused } from '../files/configFile.ts';
import { maskSecrets, maskValue } from '../files/preview.ts';
import { checkEntry, classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import type { Applied, Assistant, Change, AssistantEndpoint, Plan, Refused, Undone } from '../types.ts';

/** The person's own settings of one extension, by names without its prefix. */
export interface ExtensionSettings {
  isInstalled(): boolean;
  /** Undefined where the person has set nothing. */
  read(name: string): unknown;
  /** The open workspace has a value of its own, which counts instead. */
  isOverridden(name: string): boolean;
  /** Undefined takes the person's value away. */
  write(name: string, value: unknown): Promise<void>;
}

/** The address stands without its `/v1`, which is a setting of its own. */
const NAMES = [
  'endpoint_chat',
  'endpoint_tools',
  'ai_api_version',
  'ai_model',
  'api_key_chat',
  'api_key_tools',
] as const;
const PLACE = "VS Code's settings (llama-vscode)";
const CHANGED = "llama-vscode's settings have been changed meanwhile, so nothing was written. Look at them again.";

/** https://github.com/ggml-org/llama.vscode: its settings, as a text like that of a file. */
export function llamaVscode(settings: ExtensionSettings): Assistant {
  const name = 'llama.vscode';
  const read = (): Record<string, unknown> =>
    Object.fromEntries(
      NAMES.map((each) => [each, settings.read(each)] as const).filter(([, value]) => value !== undefined),
    );
  return {
    id: 'llama-vscode',
    name,
    needsModel: true,
    next: 'llama.vscode uses it for its chat and its tools at once. Its key stands in your settings as plain text.',
    detect: () => Promise.resolve(settings.isInstalled()),
    plan: (connection) => Promise.resolve(overridden(settings) ?? plan(read(), connection)),
    apply: async (change) => {
      if (textOf(read()) !== change.before) return refused(PLACE, CHANGED);
      const failure = await writeAll(settings, valuesOf(change.before), valuesOf(change.after));
      return failure ?? appliedFor(change);
    },
    undo: async ({ before, after }) => {
      if (textOf(read()) !== after)
        return refused(PLACE, "llama-vscode's settings have been changed since, so they are left.");
      const failure = await writeAll(settings, valuesOf(after), valuesOf(before));
      return failure ?? ({ kind: 'undone', path: PLACE } satisfies Undone);
    },
    inspect: (expected) => Promise.resolve(classifyConfig(overridden(settings) ?? readingOf(read()), expected)),
    check: (expected, ask) => checkEntry(name, overridden(settings) ?? readingOf(read()), expected, ask),
  };
}

/** A workspace that somebody else made could send our key elsewhere. */
function overridden(settings: ExtensionSettings): Refused | undefined {
  const name = NAMES.find((each) => settings.isOverridden(each));
  if (name === undefined) return undefined;
  return refused(PLACE, `The open workspace sets llama-vscode.${name} itself. Remove it there, then try again.`);
}

function plan(before: Record<string, unknown>, { baseUrl, key, model }: AssistantEndpoint): Plan {
  const endpoint = baseUrl.replace(/\/v1$/, '');
  const wanted: Record<string, unknown> = {
    endpoint_chat: endpoint,
    endpoint_tools: endpoint,
    ai_model: model.id,
    api_key_chat: key,
    api_key_tools: key,
    ...('ai_api_version' in before ? { ai_api_version: 'v1' } : {}), // which is what it is by itself
  };
  const after = { ...before, ...wanted };
  if (isDeepStrictEqual(before, after)) return { kind: 'unchanged', path: PLACE };
  const changes = Object.keys(wanted)
    .filter((each) => before[each] !== after[each])
    .map((each) => {
      const is = maskValue(each, after[each]);
      return each in before
        ? `changes ${each} from ${maskValue(each, before[each])} to ${is}`
        : `sets ${each} to ${is}`;
    });
  const [from, to] = [textOf(before), textOf(after)];
  const mask = (text: string) => maskSecrets(text, key);
  const preview = { path: PLACE, exists: true, before: mask(from), after: mask(to), changes: changes.map(mask) };
  return { kind: 'change', path: PLACE, before: from, after: to, preview };
}

/** All of them, or those of before. */
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
    return refused(PLACE, "VS Code could not write llama-vscode's settings. They are as they were.");
  }
}

function appliedFor({ path, before, after }: Change): Applied {
  return { kind: 'applied', path, before, after, madeFolder: undefined };
}

function readingOf({ endpoint_chat: endpoint, api_key_chat: key, ai_model: model }: Record<string, unknown>): Reading {
  if (endpoint === undefined && key === undefined) return {};
  return { entry: { baseUrl: typeof endpoint === 'string' ? `${endpoint}/v1` : endpoint, key, model } };
}

/** In the order of the names, so that equal values are equal texts. */
function textOf(values: Record<string, unknown>): string {
  const known = NAMES.filter((each) => values[each] !== undefined);
  return JSON.stringify(Object.fromEntries(known.map((each) => [`llama-vscode.${each}`, values[each]])), null, 2);
}

function valuesOf(text: string | undefined): Record<string, unknown> {
  const all = fieldsOf(parseJson(Buffer.from(text ?? '{}')));
  return Object.fromEntries(NAMES.map((each) => [each, all[`llama-vscode.${each}`]]));
}
