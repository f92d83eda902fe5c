// The list of assistants, as rows to choose from.
import * as vscode from 'vscode';
import { SNIPPETS } from '../../assistants/snippets.ts';
import type { UnsupportedAssistant, Snippet } from '../../assistants/snippets.ts';
import { oldPlace } from '../../assistants/configState.ts';
import type { Assistant, ConfigState } from '../../assistants/types.ts';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantState } from '../../assistants/assistantService.ts';
import { asLabel } from '../../presentation/plainText.ts';

const { t } = vscode.l10n;

export type Choice =
  | { readonly kind: 'mend' }
  | { readonly kind: 'written'; readonly found: AssistantState }
  | { readonly kind: 'copied'; readonly snippet: Snippet | UnsupportedAssistant };

export interface Row extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

export function rowsFor(all: readonly AssistantState[]): Row[] {
  const old = all.filter(({ configState: configState }) => configState.kind === 'old');
  const here = all.filter(({ detected, configState: configState }) => detected || configState.kind !== 'absent');
  const elsewhere = all.filter((found) => !here.includes(found) && isOffered(found.assistant));
  const mend: Row = {
    label: `$(tools) ${t('Mend {0}', namesOf(old))}`,
    detail: t('They point to an old address, or have a key that was revoked.'),
    choice: { kind: 'mend' },
  };
  return [
    ...(old.length === 0 ? [] : [mend]),
    ...section(t('found on this computer'), here.map(writtenRow)),
    ...section(t('not found here'), elsewhere.map(writtenRow)),
    ...section(t('text to copy'), SNIPPETS.map(copiedRow)),
  ];
}

/** One that is part of the editor is there or is not: nothing can be prepared for it. */
function isOffered({ id }: Assistant): boolean {
  return id !== 'llama-vscode' && id !== 'custom-endpoint';
}

function section(label: string, rows: readonly Row[]): Row[] {
  return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

function writtenRow(found: AssistantState): Row {
  const icons = {
    current: 'pass-filled',
    old: 'warning',
    refused: 'error',
    other: 'circle-large',
    absent: 'circle-large',
  };
  const { assistant, configState: configState } = found;
  return {
    label: `$(${isSure(configState) ? icons[configState.kind] : 'circle-large'}) ${assistant.name}`,
    description: describeConfigState(configState),
    choice: { kind: 'written', found },
  };
}

/** A tick is for what is known to be so. */
function isSure(configState: ConfigState): boolean {
  return configState.kind !== 'current' || (configState.elsewhere === undefined && configState.uncompared !== true);
}

export function describeConfigState(configState: ConfigState): string {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) return t('connected to where the proxy was last; it is not running');
      if (configState.elsewhere !== undefined)
        return t('connected, but it uses {0} now', asLabel(configState.elsewhere));
      return t('connected, {0}', asLabel(configState.model ?? ''));
    case 'old':
      return t('points to {0}', oldPlace(configState));
    case 'other':
      return t('set to {0}', asLabel(configState.what));
    case 'refused':
      return configState.message;
    case 'absent':
      return '';
  }
}

function copiedRow(snippet: Snippet | UnsupportedAssistant): Row {
  const icon = snippet.kind === 'snippet' ? 'copy' : 'circle-slash';
  const description = snippet.kind === 'snippet' ? '' : t('cannot be connected');
  return { label: `$(${icon}) ${snippet.name}`, description, choice: { kind: 'copied', snippet } };
}
