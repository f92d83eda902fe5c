// The assistants as rows of a Quick Pick.
import * as vscode from 'vscode';
import type { Assistant } from '../../../assistants/adapters/assistant.ts';
import { describeConfigState, isDoubtful } from '../../../assistants/adapters/configState.ts';
import { CUSTOM_ENDPOINT } from '../../../assistants/adapters/customEndpoint.ts';
import { LLAMA_VSCODE } from '../../../assistants/adapters/llamaVscode.ts';
import { namesOf } from '../../../assistants/assistantService.ts';
import type { AssistantState } from '../../../assistants/assistantService.ts';
import { SNIPPETS } from '../../../assistants/snippets.ts';
import type { Snippet } from '../../../assistants/snippets.ts';
import { toneOf } from '../../../dashboard/clients.ts';
import type { Tone } from '../../../presentation/text.ts';
import { asLabel } from '../../../shared/escape.ts';

/** In characters. */
const LONGEST_DETAIL = 500;

export type Choice =
  | { readonly kind: 'repair' }
  | { readonly kind: 'assistant'; readonly state: AssistantState }
  | { readonly kind: 'snippet'; readonly snippet: Snippet };

export interface Row extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

/** Assistants to repair first, then those found on this computer, the others, and those to configure by hand. */
export function rowsFor(all: readonly AssistantState[]): Row[] {
  const outdated = all.filter(({ configState }) => configState.kind === 'outdated');
  const found = all.filter(({ detected, configState }) => detected || configState.kind !== 'absent');
  const others = all.filter((state) => !found.includes(state) && isOfferedWhenAbsent(state.assistant));
  const repair: Row = {
    label: `$(tools) Repair ${namesOf(outdated)}`,
    detail: 'Updates assistants that use an outdated address or a revoked access key.',
    choice: { kind: 'repair' },
  };
  return [
    ...(outdated.length === 0 ? [] : [repair]),
    ...section('found on this computer', found.map(assistantRow)),
    ...section('not found on this computer', others.map(assistantRow)),
    ...section('configuration or code to copy', SNIPPETS.map(snippetRow)),
  ];
}

/** The assistants inside the editor can only be configured while they are installed. */
function isOfferedWhenAbsent({ id }: Assistant): boolean {
  return id !== LLAMA_VSCODE && id !== CUSTOM_ENDPOINT;
}

function section(label: string, rows: readonly Row[]): Row[] {
  return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

function assistantRow(state: AssistantState): Row {
  const { assistant, configState, judgement } = state;
  const label = `$(${ICONS[toneOf({ configState, judgement })]}) ${assistant.name}`;
  const choice = { kind: 'assistant', state } as const;
  // A reason names a path, which a description would cut off.
  if (configState.kind === 'refused')
    return { label, description: 'cannot be configured', detail: asLabel(configState.message, LONGEST_DETAIL), choice };
  return {
    label,
    description: describeConfigState(configState, judgement),
    ...(isDoubtful(configState, judgement) && { detail: asLabel(judgement.sentence, LONGEST_DETAIL) }),
    choice,
  };
}

const ICONS: Readonly<Record<Tone, string>> = {
  good: 'pass-filled',
  warning: 'warning',
  error: 'error',
  neutral: 'circle-large',
};

function snippetRow(snippet: Snippet): Row {
  return { label: `$(copy) ${snippet.name}`, choice: { kind: 'snippet', snippet } };
}
