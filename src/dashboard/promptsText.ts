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
  commandLine: { title: 'Command Line', none: 'No known assistants of the command line were found.' },
};

const LIMITS = [
  'A program that is not listed here may send prompts too: other editors, browsers, and programs that Sealed Proxy does ' +
    'not know.',
  'Agents built into VS Code, such as the Claude agent, can send prompts elsewhere, whichever models the model picker offers.',
  'Nothing is measured: the list says what configurations and settings say now. A running program may still use an older one.',
];

const REMOTE =
  'This window works on another computer. Extensions that run on your own computer are not listed, and the command line is ' +
  'that of the other computer.';

/** What the list cannot show. */
export function limitsOf({ isRemote }: PromptsSection): readonly string[] {
  return isRemote ? [REMOTE, ...LIMITS] : LIMITS;
}

/** Those that send prompts. */
export function activeSenders({ senders }: PromptsSection): readonly Sender[] {
  return senders.filter(({ verdict }) => verdict !== 'off');
}

export function summaryOf(section: PromptsSection): Summary {
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
        detail: unsealed,
      };
    case 'development':
      return {
        tone: worst,
        headline: 'No prompts are sealed: you use a development backend, which is not verified.',
        detail: '',
      };
    case 'nothing':
      return {
        tone: worst,
        headline: reach.why,
        detail:
          reach.cause === 'offHere'
            ? `This window does not use ${PRODUCT}; another window may run it.`
            : joined(
                `No prompts are sealed at the moment. Requests that reach ${PRODUCT} fail, and it does not forward them.`,
                unsealed,
              ),
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

const ALL_BUT_AGENTS = 'Everything else listed here is sealed; agents built into VS Code cannot be checked.';

function isAllButAgents(active: readonly Sender[]): boolean {
  const others = active.filter(({ id }) => id !== AGENTS_ID);
  return others.length > 0 && others.length < active.length && others.every(({ verdict }) => verdict === 'sealed');
}

function sealedOf(sealed: number, all: number): string {
  if (sealed === all) return 'Everything listed here is sealed.';
  if (sealed === 0) return 'Nothing listed here is completely sealed.';
  return `Not everything is sealed: ${sealed} of ${all} ${sealed === 1 ? 'is' : 'are'}.`;
}

/** The title of the button for a remedy. */
export function buttonOf(remedy: SenderRemedy): string {
  switch (remedy.kind) {
    case 'command':
      return COMMANDS[remedy.name].title;
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
