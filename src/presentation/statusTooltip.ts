// The tooltip of the status bar item, as Markdown. Pure.
import { asCode, asMarkdown } from '../shared/escape.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { withKeyLink } from './apiKeyText.ts';
import { COMMANDS, commandId } from './commands.ts';
import type { VisibleCommand } from './commands.ts';
import { glossaryLink } from './glossary.ts';
import type { StatusView } from './statusText.ts';
import { clockTime, shortPcr0 } from './text.ts';

/** The name is Markdown, the value any text. */
type Row = readonly [name: string, value: string];

/** The command that the line about side prompts links to. */
export const SIDE_PROMPTS_COMMAND: VisibleCommand = 'keepChatSealed';

/**
 * Markdown: the state, what to do, the facts, where side prompts go, and a link for each action.
 * @param sidePrompts how many have which mark, in words; empty if that is not known
 */
export function statusTooltip(status: ProxyStatus, view: StatusView, sidePrompts = ''): string {
  const rows = status.kind === 'running' ? rowsOf(status) : [];
  return [
    `**${asMarkdown(view.headline)}**`,
    ...(view.detail === '' ? [] : [withKeyLink(asMarkdown(view.detail))]),
    ...(rows.length === 0 ? [] : [['| | |', '| :-- | :-- |', ...rows.map(writeRow)].join('\n')]),
    ...(sidePrompts === '' ? [] : [sidePromptLine(sidePrompts)]),
    view.actions.map((name) => `[${COMMANDS[name].title}](command:${commandId(name)})`).join(' · '),
  ].join('\n\n');
}

function sidePromptLine(summary: string): string {
  const command = `[${COMMANDS[SIDE_PROMPTS_COMMAND].title}](command:${commandId(SIDE_PROMPTS_COMMAND)})`;
  return `${glossaryLink('Side prompt', "VS Code's side prompts")}: ${asMarkdown(summary)}. ${command}`;
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
    ['Version', version === VERSION ? version : `${version} (this window has ${VERSION})`],
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
