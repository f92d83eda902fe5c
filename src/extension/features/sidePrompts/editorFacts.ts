// Reads what decides where the editor's side prompts go.
import * as vscode from 'vscode';
import { isAiOff } from '../../../chat/sidePrompts/facts.ts';
import type { EditorFacts, OfferedModel, SettingFacts } from '../../../chat/sidePrompts/facts.ts';
import { SECTIONS, mayNameModel } from '../../../chat/sidePrompts/settings.ts';
import { asObject, fieldsOf } from '../../../shared/json.ts';

/** @param attested whether the backend must be attested; false for a development backend */
export async function readEditorFacts(attested: boolean): Promise<EditorFacts> {
  const configuration = vscode.workspace.getConfiguration();
  const names = vendorNames();
  const facts = {
    version: vscode.version,
    setting: (key: string) => settingFacts(configuration, key),
    modelSettings: SECTIONS.flatMap((section) => keysOf(configuration.get(section), section)).filter(
      (key) => mayNameModel(key) && isKnownToEditor(configuration, key),
    ),
    models: [],
    attested,
    vendorName: (vendor: string) => names.get(vendor) ?? vendor,
  };
  return isAiOff(facts) ? facts : { ...facts, models: await offeredModels() };
}

/** The models of all vendors, or of one. */
export async function offeredModels(vendor?: string): Promise<readonly OfferedModel[]> {
  const models = await vscode.lm.selectChatModels(vendor === undefined ? {} : { vendor });
  return models.map((model) => ({ vendor: model.vendor, id: model.id, name: model.name }));
}

function settingFacts(configuration: vscode.WorkspaceConfiguration, key: string): SettingFacts | undefined {
  const found = configuration.inspect(key);
  // The editor knows a setting if it has a default; others may still have a value that nothing uses.
  if (found?.defaultValue === undefined) return undefined;
  const { workspaceValue, workspaceFolderValue, languageIds = [] } = found;
  const overridden = workspaceValue !== undefined || workspaceFolderValue !== undefined || languageIds.length > 0;
  return { value: plain(configuration.get(key)), userValue: plain(found.globalValue), overridden };
}

/** The editor returns objects that are equal to no other object. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function isKnownToEditor(configuration: vscode.WorkspaceConfiguration, key: string): boolean {
  return configuration.inspect(key)?.defaultValue !== undefined;
}

/** The dotted names below a value, of settings and of the fields of their values alike; groups are left out. */
function keysOf(value: unknown, prefix: string): string[] {
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) => {
    const key = `${prefix}.${name}`;
    const isGroup = Object.keys(asObject(inner) ?? {}).length > 0;
    return isGroup ? keysOf(inner, key) : [key];
  });
}

function vendorNames(): ReadonlyMap<string, string> {
  const declared = vscode.extensions.all.flatMap(({ packageJSON }) => {
    const providers = fieldsOf(fieldsOf(packageJSON)['contributes'])['languageModelChatProviders'];
    return Array.isArray(providers) ? providers.map(fieldsOf) : [];
  });
  return new Map(
    declared.flatMap(({ vendor, displayName }) =>
      typeof vendor === 'string' && typeof displayName === 'string' ? [[vendor, displayName] as const] : [],
    ),
  );
}
