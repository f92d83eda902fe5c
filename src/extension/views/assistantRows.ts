// The list of assistants, as rows to choose from.
import * as vscode from 'vscode';
import { SNIPPETS } from '../../assistants/snippets.ts';
import type { Impossible, Snippet } from '../../assistants/snippets.ts';
import { oldPlace } from '../../assistants/configState.ts';
import type { Assistant, Standing } from '../../assistants/types.ts';
import { namesOf } from '../../assistants/assistantService.ts';
import type { Found } from '../../assistants/assistantService.ts';
import { asLabel } from '../../presentation/plainText.ts';

const { t } = vscode.l10n;

export type Choice =
  | { readonly kind: 'mend' }
  | { readonly kind: 'written'; readonly found: Found }
  | { readonly kind: 'copied'; readonly snippet: Snippet | Impossible };

export interface Row extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

export function rowsFor(all: readonly Found[]): Row[] {
  const old = all.filter(({ standing }) => standing.kind === 'old');
  const here = all.filter(({ detected, standing }) => detected || standing.kind !== 'absent');
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

function writtenRow(found: Found): Row {
  const icons = {
    current: 'pass-filled',
    old: 'warning',
    refused: 'error',
    other: 'circle-large',
    absent: 'circle-large',
  };
  const { assistant, standing } = found;
  return {
    label: `$(${isSure(standing) ? icons[standing.kind] : 'circle-large'}) ${assistant.name}`,
    description: describeStanding(standing),
    choice: { kind: 'written', found },
  };
}

/** A tick is for what is known to be so. */
function isSure(standing: Standing): boolean {
  return standing.kind !== 'current' || (standing.elsewhere === undefined && standing.uncompared !== true);
}

export function describeStanding(standing: Standing): string {
  switch (standing.kind) {
    case 'current':
      if (standing.uncompared === true) return t('connected to where the proxy was last; it is not running');
      if (standing.elsewhere !== undefined) return t('connected, but it uses {0} now', asLabel(standing.elsewhere));
      return t('connected, {0}', asLabel(standing.model ?? ''));
    case 'old':
      return t('points to {0}', oldPlace(standing));
    case 'other':
      return t('set to {0}', asLabel(standing.what));
    case 'refused':
      return standing.message;
    case 'absent':
      return '';
  }
}

function copiedRow(snippet: Snippet | Impossible): Row {
  const icon = snippet.kind === 'snippet' ? 'copy' : 'circle-slash';
  const description = snippet.kind === 'snippet' ? '' : t('cannot be connected');
  return { label: `$(${icon}) ${snippet.name}`, description, choice: { kind: 'copied', snippet } };
}
