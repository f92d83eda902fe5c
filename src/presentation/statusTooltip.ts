// The tooltip of the status bar item, as Markdown. Pure.
import { asCode, asMarkdown } from '../shared/escape.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { glossaryLink } from './glossary.ts';
import type { GlossaryTerm } from './glossary.ts';
import { clockTime, shortPcr0 } from './statusText.ts';
import type { Action, StatusView } from './statusText.ts';

type Running = Extract<ProxyStatus, { kind: 'running' }>;
type Row = readonly [name: string, value: string, term?: GlossaryTerm];

/** Markdown: what is the case, what to do, the facts, and a link for each action, as `linkTo` writes it. */
export function statusTooltip(status: ProxyStatus, view: StatusView, linkTo: (action: Action) => string): string {
  const rows = status.kind === 'running' ? rowsOf(status) : [];
  return [
    `**${asMarkdown(view.headline)}**`,
    ...(view.detail === '' ? [] : [asMarkdown(view.detail)]),
    ...(rows.length === 0 ? [] : [['| | |', '| :-- | :-- |', ...rows.map(writeRow)].join('\n')]),
    view.actions.map(linkTo).join(' · '),
  ].join('\n\n');
}

function writeRow([name, value, term]: Row): string {
  // As code, an address is not a link: it is there to be copied, and a click would open a browser.
  const shown = /^https?:/.test(value) ? asCode(value) : asMarkdown(value);
  return `| ${term === undefined ? name : `[${name}](${glossaryLink(term)})`} | ${shown} |`;
}

function rowsOf({ url, backendUrl, verified, establishedAt, health, version, shared }: Running): readonly Row[] {
  return [
    ['Base URL', `${url}/v1`, 'base-url'],
    ...(health.kind === 'connected' ? [['Models', String(health.models.length)] as const] : []),
    ['Backend', backendUrl, 'backend'],
    ...attestationRows(verified, establishedAt),
    ...('checkedAt' in health ? [['Last check', clockTime(health.checkedAt)] as const] : []),
    ['Version', shared ? `${version}, running in another window` : version],
  ];
}

function attestationRows(verified: AttestationSummary | null, establishedAt: number | null): readonly Row[] {
  if (verified === null) return [['Attestation', 'not verified', 'attestation']];
  if (verified.kind === 'development') return [['Attestation', 'not verified (development backend)', 'attestation']];
  return [
    ['Attestation', `verified, ${verified.environment} image`, 'attestation'],
    ['PCR0', shortPcr0(verified.pcr0), 'pcr0'],
    ['Enclave', verified.moduleId, 'enclave'],
    ...(establishedAt === null ? [] : [['Session since', clockTime(establishedAt), 'session'] as const]),
    ['Certificate valid until', new Date(verified.certificateNotAfter).toLocaleString(), 'certificate-chain'],
  ];
}
