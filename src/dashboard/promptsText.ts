// The sentences of the section Where Prompts Go. Pure.
import { COMMANDS } from '../presentation/commands.ts';
import { PRODUCT, joined, unsealedSentence } from '../presentation/text.ts';
import type { Tone } from '../presentation/text.ts';
import { AGENTS_ID } from '../promptMap/sender.ts';
import type { Group, Sender, SenderRemedy, SenderVerdict } from '../promptMap/sender.ts';
import type { PromptsSection, Summary } from './model.ts';

export const GROUPS: Readonly<Record<Group, { readonly title: string; readonly none: string }>> = {
  editor: { title: 'This Editor', none: '' },
  extensions: { title: 'AI Extensions', none: 'No AI extensions are installed.' },
  commandLine: { title: 'Command Line', none: 'No known command-line assistants were found.' },
};

const LIMITS = [
  'A program that is not listed here may send prompts too: other editors, browsers, and programs that Sealed Proxy does ' +
    'not know.',
  'Agents built into VS Code, such as the Claude agent, can send prompts elsewhere, whichever models the model picker offers.',
  'A program that was started before its configuration changed may still use the older one. To be sure, restart it.',
];

const REMOTE = 'This window works on another computer: the command line is that of the other computer.';
const NOT_LISTED = 'Extensions that run on your own computer are not listed.';
const SOURCE = 'The list says what configurations and settings say; nothing is measured.';

/** What the list cannot show. */
export function limitsOf({ isRemote }: PromptsSection): readonly string[] {
  return isRemote ? [REMOTE, ...LIMITS] : LIMITS;
}

/** Those that send prompts. */
export function activeSenders({ senders }: PromptsSection): readonly Sender[] {
  return senders.filter(({ verdict }) => verdict !== 'off');
}

export function summaryOf(section: PromptsSection): Summary {
  const summary = summaryOfActive(section);
  return section.isRemote ? { ...summary, detail: joined(summary.detail, NOT_LISTED) } : summary;
}

function summaryOfActive(section: PromptsSection): Summary {
  const { reach } = section;
  const active = activeSenders(section);
  const all = active.length;
  const count = (...verdicts: readonly SenderVerdict[]) =>
    active.filter(({ verdict }) => verdicts.includes(verdict)).length;
  if (all === 0) return { tone: 'neutral', headline: `${PRODUCT} found nothing that sends prompts.`, detail: '' };
  const worst: Tone = count('elsewhere', 'partly') > 0 ? 'error' : 'warning';
  const unsealed = unsealedSentence(active.flatMap((sender) => sender.unsealed ?? []));
  switch (reach.kind) {
    case 'enclave':
      return {
        tone: count('sealed') === all ? 'good' : worst,
        headline: isAllButAgents(active) ? ALL_BUT_AGENTS : sealedOf(count('sealed'), all),
        detail: joined(unsealed, SOURCE),
      };
    case 'development':
      return {
        tone: worst,
        headline: 'No prompts are sealed: the development backend receives its prompts encrypted, but is not verified.',
        detail: unsealed,
      };
    case 'nothing':
      return {
        tone: worst,
        headline: reach.why,
        detail: joined(reach.cause === 'offHere' ? OFF_HERE : FAILING, unsealed),
      };
    case 'otherProgram':
      return {
        tone: 'error',
        headline: `Another program uses port ${reach.port}, the address of ${PRODUCT}.`,
        detail: 'Connected assistants send their prompts to that program.',
      };
    case 'otherProxy':
      return {
        tone: worst,
        headline: `Another window runs ${PRODUCT} on port ${reach.port} with a different version or different settings.`,
        detail: 'Open the dashboard in that window to see where its prompts go.',
      };
  }
}

const OFF_HERE =
  'This window seals no prompts. Connected assistants reach Sealed Proxy only while another window runs it; ' +
  'otherwise, their requests fail.';
const FAILING =
  'No prompts are sealed at the moment. Requests that reach Sealed Proxy fail, and it does not forward them.';
const ALL_BUT_AGENTS = 'Everything else listed here is sealed; agents built into VS Code cannot be checked.';

function isAllButAgents(active: readonly Sender[]): boolean {
  const others = active.filter(({ id }) => id !== AGENTS_ID);
  return others.length > 0 && others.length < active.length && others.every(({ verdict }) => verdict === 'sealed');
}

function sealedOf(sealed: number, all: number): string {
  if (sealed === all) return 'Everything listed here is sealed.';
  if (sealed === 0) return 'Nothing listed here is completely sealed.';
  return `Only ${sealed} of ${all} ${sealed === 1 ? 'is' : 'are'} sealed.`;
}

/** The title of the button for a remedy. */
export function buttonOf(remedy: SenderRemedy): string {
  switch (remedy.kind) {
    case 'command':
      return remedy.name === 'keepChatSealed' ? 'Seal or Turn Off…' : COMMANDS[remedy.name].title;
    case 'extension':
      return 'Show in Extensions View';
    case 'assistant':
      switch (remedy.remedy.kind) {
        case 'connect':
          return 'Connect…';
        case 'repair':
          return 'Repair…';
        case 'open':
          return remedy.remedy.source.kind === 'file' ? 'Open File' : 'Open Setting';
        case 'copy':
          return 'Copy Line';
      }
  }
}
