// The tooltip of the status bar item, as Markdown. Pure.
import { asCode, asMarkdown } from '../shared/escape.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { withKeyLink } from './apiKeyText.ts';
import { COMMANDS, commandId } from './commands.ts';
import type { VisibleCommand } from './commands.ts';
import { statusFacts } from './statusFacts.ts';
import type { StatusFact } from './statusFacts.ts';
import type { StatusView } from './statusText.ts';

/** The command that the line about side prompts links to. */
export const SIDE_PROMPTS_COMMAND: VisibleCommand = 'keepChatSealed';

/** Longer texts would make the tooltip larger than the window, in characters. */
const LONGEST_SENTENCES = 1000;
const LONGEST_VALUE = 200;

/**
 * Markdown: the state, what to do, the facts, where side prompts go, and a link for each action.
 * @param sidePrompts how many have which mark, in words; empty if that is not known
 */
export function statusTooltip(status: ProxyStatus, view: StatusView, sidePrompts = ''): string {
  const rows = status.kind === 'running' ? statusFacts(status) : [];
  return [
    `**${asMarkdown(view.headline, LONGEST_SENTENCES)}**`,
    ...(view.detail === '' ? [] : [withKeyLink(asMarkdown(view.detail, LONGEST_SENTENCES))]),
    ...(rows.length === 0 ? [] : [['| | |', '| :-- | :-- |', ...rows.map(writeRow)].join('\n')]),
    ...(sidePrompts === '' ? [] : [sidePromptLine(sidePrompts)]),
    tooltipCommands(view).map(commandLink).join(' · '),
  ].join('\n\n');
}

/** A term as a link to its heading in docs/glossary.md, as Markdown; `text` shows it in other words. */
export function glossaryLink(term: string, text = term): string {
  const anchor = term.toLowerCase().replaceAll(' ', '-');
  return `[${text}](https://github.com/sealed-proxy/sealed-proxy/blob/main/docs/glossary.md#${anchor})`;
}

/** The commands that the last line links to. */
export function tooltipCommands({ actions }: StatusView): readonly VisibleCommand[] {
  return ['openDashboard', ...actions];
}

function sidePromptLine(summary: string): string {
  const term = glossaryLink('Side prompt', "VS Code's side prompts");
  return `${term}: ${asMarkdown(summary)}. ${commandLink(SIDE_PROMPTS_COMMAND)}`;
}

function commandLink(name: VisibleCommand): string {
  return `[${COMMANDS[name].title}](command:${commandId(name)})`;
}

function writeRow({ name, value, term }: StatusFact): string {
  const label = term === undefined ? name : glossaryLink(term, name);
  // As code, an address is not a link: it is there to be copied, and a click would open a browser.
  return `| ${label} | ${/^https?:/.test(value) ? asCode(value, LONGEST_VALUE) : asMarkdown(value, LONGEST_VALUE)} |`;
}
