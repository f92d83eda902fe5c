// The tooltip of the status bar item, as Markdown. Pure.
import { asCode, asMarkdown } from '../shared/escape.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { withKeyLink } from './apiKeyText.ts';
import { COMMANDS, commandId } from './commands.ts';
import { glossaryLink } from './glossary.ts';
import { clockTime, shortPcr0 } from './statusText.ts';
import type { StatusView } from './statusText.ts';

/** The name is Markdown, the value any text. */
type Row = readonly [name: string, value: string];

/** Markdown: the state, what to do, the facts, and a link for each action. */
export function statusTooltip(status: ProxyStatus, view: StatusView): string {
  const rows = status.kind === 'running' ? rowsOf(status) : [];
  return [
    `**${asMarkdown(view.headline)}**`,
    ...(view.detail === '' ? [] : [withKeyLink(asMarkdown(view.detail))]),
    ...(rows.length === 0 ? [] : [['| | |', '| :-- | :-- |', ...rows.map(writeRow)].join('\n')]),
    view.actions.map((name) => `[${COMMANDS[name].title}](command:${commandId(name)})`).join(' · '),
  ].join('\n\n');
}

function writeRow([name, value]: Row): string {
  // As code, an address is not a link: it is there to be copied, and a click would open a browser.
  return `| ${name} | ${/^https?:/.test(value) ? asCode(value) : asMarkdown(value)} |`;
}

function rowsOf({ url, backendUrl, verified, establishedAt, health, version, shared }: RunningStatus): readonly Row[] {
  return [
    [glossaryLink('Base URL'), `${url}/v1`],
    ...(health.kind === 'connected' ? [['Models', String(health.models.length)] as const] : []),
    [glossaryLink('Backend'), backendUrl],
    ...attestationRows(verified, establishedAt),
    ...('checkedAt' in health ? [['Last check', clockTime(health.checkedAt)] as const] : []),
    ...(shared ? [['Proxy', 'running in another window'] as const] : []),
    ['Version', version],
  ];
}

function attestationRows(verified: AttestationSummary | null, establishedAt: number | null): readonly Row[] {
  const attestation = glossaryLink('Attestation');
  if (verified === null) return [[attestation, 'not verified']];
  if (verified.kind === 'development') return [[attestation, 'not verified (development backend)']];
  return [
    [
      attestation,
      `verified, ${verified.approvedBy === 'additional' ? 'image added by you' : `${verified.environment} image`}`,
    ],
    [glossaryLink('PCR0'), shortPcr0(verified.pcr0)],
    [glossaryLink('Enclave', 'Enclave ID'), verified.moduleId],
    ...(establishedAt === null ? [] : [[glossaryLink('Session', 'Session since'), clockTime(establishedAt)] as const]),
    [
      glossaryLink('Certificate chain', 'Certificate valid until'),
      new Date(verified.certificateNotAfter).toLocaleString(),
    ],
  ];
}
