// The tooltip of the status bar item, as Markdown. Pure.
import type { UsageSum } from '../shared/activity.ts';
import { asCode, asMarkdown } from '../shared/escape.ts';
import { baseUrlOf } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { withKeyLink } from './apiKeyText.ts';
import { COMMANDS, commandId } from './commands.ts';
import type { VisibleCommand } from './commands.ts';
import type { StatusView } from './statusText.ts';
import { plural, splitAtSettings, unsealedSentence } from './text.ts';

/** Longer texts would make the tooltip larger than the window, in characters. */
const LONGEST_SENTENCES = 1000;

/** What the tooltip shows besides the state. */
export interface TooltipFacts {
  /** The titles of VS Code's side prompts that go to others than Sealed Proxy. */
  readonly unsealed?: readonly string[];
  /** What all clients have used today; undefined if this window is not told. */
  readonly today?: Pick<UsageSum, 'requests' | 'tokensIn' | 'tokensOut'> | undefined;
}

/** Markdown: the state and what helps, what leaves the seal, the address, today's use, and three links. */
export function statusTooltip(
  status: ProxyStatus,
  view: StatusView,
  { unsealed = [], today }: TooltipFacts = {},
): string {
  const url = baseUrlOf(status);
  const warning = unsealedSentence(unsealed);
  return [
    `**${asMarkdown(view.headline, LONGEST_SENTENCES)}**`,
    ...(view.detail === '' ? [] : [withSettingLinks(withKeyLink(asMarkdown(view.detail, LONGEST_SENTENCES)))]),
    ...(warning === '' ? [] : [`$(warning) ${warning} ${link('keepChatSealed', 'Fix…')}`]),
    // As code, the address is not a link, which would open a browser.
    ...(url === undefined ? [] : [`Base URL: ${asCode(url)} ${link('copyBaseUrl', 'Copy')}`]),
    ...(today === undefined || today.requests === 0 ? [] : [describeToday(today)]),
    linkedCommands(view)
      .map((name) => link(name, COMMANDS[name].title))
      .join(' · '),
  ].join('\n\n');
}

/** The commands that the links of a tooltip may run. */
export function tooltipCommands(view: StatusView): readonly VisibleCommand[] {
  return ['keepChatSealed', 'copyBaseUrl', 'openSettings', ...linkedCommands(view)];
}

/** What fits the state best comes first. */
function linkedCommands({ actions }: StatusView): readonly VisibleCommand[] {
  return [...actions.slice(0, 1), 'openDashboard', 'connectAssistant'];
}

function describeToday({ requests, tokensIn, tokensOut }: NonNullable<TooltipFacts['today']>): string {
  const [count, read, written] = [requests, tokensIn, tokensOut].map((value) => value.toLocaleString());
  const tokens = (value: number) => plural(value, 'token');
  return `Today: ${count} ${plural(requests, 'request')}, ${read} ${tokens(tokensIn)} in, ${written} ${tokens(tokensOut)} out`;
}

function withSettingLinks(text: string): string {
  const parts = splitAtSettings(text);
  return parts.map((part, index) => (index % 2 === 0 ? part : link('openSettings', part, part))).join('');
}

function link(name: VisibleCommand, text: string, argument?: string): string {
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify(argument))}`;
  return `[${text}](command:${commandId(name)}${query})`;
}
