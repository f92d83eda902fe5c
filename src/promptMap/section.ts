// The list of senders as the dashboard and the diagnosis show it. Pure.
import type { PromptsSection, SenderRow, SenderVerdict, Tone, VerdictLine } from '../dashboard/model.ts';
import { COMMANDS } from '../presentation/commands.ts';
import { PRODUCT, listed } from '../presentation/text.ts';
import { LONGEST_NAME, asPlain } from '../shared/escape.ts';
import { VERDICT_ORDER } from './promptMap.ts';
import type { PromptMap } from './promptMap.ts';
import type { Reach } from './reach.ts';
import type { Group, Sender, SenderRemedy } from './sender.ts';

const VERDICTS: Readonly<Record<SenderVerdict, { readonly word: string; readonly tone: Tone }>> = {
  elsewhere: { word: 'Not sealed', tone: 'error' },
  partly: { word: 'Partly sealed', tone: 'warning' },
  unknown: { word: 'Unknown', tone: 'warning' },
  depends: { word: 'Your choice', tone: 'neutral' },
  development: { word: 'Not verified', tone: 'warning' },
  blocked: { word: 'Blocked', tone: 'warning' },
  sealed: { word: 'Sealed', tone: 'good' },
  off: { word: 'Off', tone: 'neutral' },
};

const GROUPS: Readonly<Record<Group, { readonly title: string; readonly none: string }>> = {
  editor: { title: 'This Editor', none: '' },
  extensions: { title: 'AI Extensions', none: 'No AI extensions are installed.' },
  commandLine: { title: 'Command Line', none: 'No known assistants were found on this computer.' },
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

/** @param isRemote the extension does not run on the computer in front of the user */
export function promptsSection({ reach, actions, senders }: PromptMap, isRemote: boolean): PromptsSection {
  const active = senders.filter(({ verdict }) => verdict !== 'off');
  const counts = countVerdicts(senders);
  return {
    ...summary(reach, active),
    verdicts: linesOf(active, NAMED),
    buttons: actions.map((name) => ({ name, title: COMMANDS[name].title })),
    counts: counts.map(({ verdict, count }) => ({ verdict, ...VERDICTS[verdict], count })),
    groups: Object.entries(GROUPS).map(([group, { title, none }]) => ({
      title,
      none,
      rows: senders.filter((sender) => sender.group === group).map(rowOf),
    })),
    limits: isRemote ? [REMOTE, ...LIMITS] : LIMITS,
  };
}

/** For the diagnosis: the names of each verdict in one line. No text in it contains a path. */
export function verdictLines({ senders }: Pick<PromptMap, 'senders'>): readonly VerdictLine[] {
  const lines = linesOf(senders, Infinity);
  const { word } = VERDICTS.sealed;
  return lines.length === 0 || lines.some((line) => line.word === word) ? lines : [...lines, { word, names: 'none' }];
}

/** @param most names in a line */
function linesOf(senders: readonly Sender[], most: number): readonly VerdictLine[] {
  return countVerdicts(senders).map(({ verdict }) => ({
    word: VERDICTS[verdict].word,
    names: listed(
      senders.filter((sender) => sender.verdict === verdict).map(({ name }) => asPlain(name, LONGEST_NAME)),
      most,
    ),
  }));
}

/** As many as fit in a line of the banner. */
const NAMED = 6;

function countVerdicts(senders: readonly Sender[]) {
  return VERDICT_ORDER.map((verdict) => ({
    verdict,
    count: senders.filter((sender) => sender.verdict === verdict).length,
  })).filter(({ count }) => count > 0);
}

type Summary = Pick<PromptsSection, 'tone' | 'headline' | 'detail'>;

function summary(reach: Reach, active: readonly Sender[]): Summary {
  const all = active.length;
  const count = (...verdicts: readonly SenderVerdict[]) =>
    active.filter(({ verdict }) => verdicts.includes(verdict)).length;
  if (all === 0) return { tone: 'neutral', headline: `${PRODUCT} found nothing that sends prompts.`, detail: '' };
  const worst: Tone = count('elsewhere', 'partly') > 0 ? 'error' : 'warning';
  switch (reach.kind) {
    case 'enclave':
      return { tone: count('sealed') === all ? 'good' : worst, headline: sealedOf(count('sealed'), all), detail: '' };
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
            : `No prompts are sealed at the moment. Requests that reach ${PRODUCT} fail, and it does not forward them.`,
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

function sealedOf(sealed: number, all: number): string {
  if (sealed === all) return 'Everything listed here is sealed.';
  if (sealed === 0) return 'Nothing listed here is completely sealed.';
  return `Not everything is sealed: ${sealed} of ${all} ${sealed === 1 ? 'is' : 'are'}.`;
}

function rowOf({ id, name, verdict, sentence, details, remedy }: Sender): SenderRow {
  return {
    id,
    name: asPlain(name, LONGEST_NAME),
    verdict,
    ...VERDICTS[verdict],
    sentence: asPlain(sentence, 500),
    details: details.map((fact) => ({ name: asPlain(fact.name), value: asPlain(fact.value, 500) })),
    button: remedy === undefined ? '' : buttonOf(remedy),
  };
}

function buttonOf(remedy: SenderRemedy): string {
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
