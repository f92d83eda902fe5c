// The assistants as rows of a Quick Pick.
import * as vscode from 'vscode';
import { namesOf } from '../../assistants/assistantService.ts';
import type { AssistantState } from '../../assistants/assistantService.ts';
import { oldPlace } from '../../assistants/configState.ts';
import { SNIPPETS } from '../../assistants/snippets.ts';
import type { Snippet, UnsupportedAssistant } from '../../assistants/snippets.ts';
import type { Assistant, ConfigState } from '../../assistants/types.ts';
import { asLabel } from '../../shared/escape.ts';

export type Choice =
  | { readonly kind: 'repair' }
  | { readonly kind: 'written'; readonly found: AssistantState }
  | { readonly kind: 'copied'; readonly snippet: Snippet | UnsupportedAssistant };

export interface Row extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

/** Assistants to repair first, then those found on this computer, the others, and those configured by hand. */
export function rowsFor(all: readonly AssistantState[]): Row[] {
  const old = all.filter(({ configState }) => configState.kind === 'old');
  const here = all.filter(({ detected, configState }) => detected || configState.kind !== 'absent');
  const others = all.filter((found) => !here.includes(found) && isOffered(found.assistant));
  const repair: Row = {
    label: `$(tools) Repair ${namesOf(old)}`,
    detail: 'Their configuration has an old address or a revoked key.',
    choice: { kind: 'repair' },
  };
  return [
    ...(old.length === 0 ? [] : [repair]),
    ...section('found on this computer', here.map(writtenRow)),
    ...section('not found on this computer', others.map(writtenRow)),
    ...section('configuration to copy', SNIPPETS.map(copiedRow)),
  ];
}

/** These two are part of the editor: without them there is nothing to configure. */
function isOffered({ id }: Assistant): boolean {
  return id !== 'llama-vscode' && id !== 'custom-endpoint';
}

function section(label: string, rows: readonly Row[]): Row[] {
  return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

const ICONS: Readonly<Record<ConfigState['kind'], string>> = {
  current: 'pass-filled',
  old: 'warning',
  refused: 'error',
  other: 'circle-large',
  absent: 'circle-large',
};

function writtenRow(found: AssistantState): Row {
  const { assistant, configState } = found;
  return {
    label: `$(${isCertain(configState) ? ICONS[configState.kind] : 'circle-large'}) ${assistant.name}`,
    description: describeConfigState(configState),
    choice: { kind: 'written', found },
  };
}

/** A check mark is only for an assistant that surely uses this proxy. */
function isCertain(configState: ConfigState): boolean {
  return configState.kind !== 'current' || (configState.elsewhere === undefined && configState.uncompared !== true);
}

/** What an assistant is set to, in a few words. */
export function describeConfigState(configState: ConfigState): string {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) return 'connected to the last address of the proxy, which is not running';
      if (configState.elsewhere !== undefined) return `connected, but currently uses ${asLabel(configState.elsewhere)}`;
      return `connected, ${asLabel(configState.model ?? '')}`;
    case 'old':
      return `points to ${oldPlace(configState)}`;
    case 'other':
      return `set to ${asLabel(configState.what)}`;
    case 'refused':
      return configState.message;
    case 'absent':
      return '';
  }
}

function copiedRow(snippet: Snippet | UnsupportedAssistant): Row {
  const icon = snippet.kind === 'snippet' ? 'copy' : 'circle-slash';
  const description = snippet.kind === 'snippet' ? '' : 'cannot be connected';
  return { label: `$(${icon}) ${snippet.name}`, description, choice: { kind: 'copied', snippet } };
}
