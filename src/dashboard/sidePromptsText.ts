// The sentences of the section Side Prompts. Pure.
import { DEVELOPMENT_BACKEND, GITHUB } from '../chat/sidePrompts/facts.ts';
import { shareOf } from '../chat/sidePrompts/mark.ts';
import type { Mark } from '../chat/sidePrompts/mark.ts';
import { PRODUCT, joined, sentence } from '../presentation/text.ts';
import { titlesOf } from '../promptMap/editorSenders.ts';
import type { Reach } from '../promptMap/reach.ts';
import { VERDICTS } from '../promptMap/sender.ts';
import type { SenderVerdict } from '../promptMap/sender.ts';
import { throughChat } from '../promptMap/throughProxy.ts';
import type { PromptsSection, SealingAction, SettingRow, SidePromptRow, SidePromptsSection, Summary } from './model.ts';
import { summaryOf } from './promptsText.ts';

export const SEALING_TITLES: Readonly<Record<SealingAction, string>> = {
  seal: 'Seal',
  sealWithOthers: 'Seal with Other Models…',
  turnOff: 'Turn Off What Cannot Be Sealed',
  undo: 'Undo',
};

/** The buttons in their order. */
export function sealingActions(section: SidePromptsSection): readonly SealingAction[] {
  const { rows, recommended, changes, hasChoice, canUndo } = section;
  const isOffered: Readonly<Record<SealingAction, boolean>> = {
    seal: changes > 0,
    sealWithOthers: recommended !== null && hasChoice,
    turnOff: rows.some(({ canTurnOff }) => canTurnOff),
    undo: canUndo,
  };
  return (Object.keys(isOffered) as SealingAction[]).filter((action) => isOffered[action]);
}

/** The button for what leaves this computer now. */
export function mainAction({ rows, changes }: SidePromptsSection): SealingAction | undefined {
  if (changes > 0) return 'seal';
  return rows.some(isTurnedOffBest) ? 'turnOff' : undefined;
}

/** It goes to others now, and sealing does not change that. */
function isTurnedOffBest({ now, canTurnOff }: SidePromptRow): boolean {
  return canTurnOff && shareOf({ mark: now }) === 'elsewhere';
}

/** Where a side prompt goes, in a few words. */
export interface Place {
  /** `ifSignedIn`: nowhere at present, because the user is not signed in there. */
  readonly kind: SenderVerdict | 'ifSignedIn';
  /** May contain text from outside. */
  readonly text: string;
}

export function placeNow(mark: Mark, reach: Reach): Place {
  switch (mark.kind) {
    case 'sealed': {
      const { verdict } = throughChat(reach);
      return { kind: verdict, text: VERDICTS[verdict].word };
    }
    case 'off':
      return { kind: 'off', text: 'Off' };
    case 'unknown':
      return { kind: 'unknown', text: VERDICTS.unknown.word };
    case 'follows':
      return { kind: 'depends', text: 'The selected model' };
    case 'goesTo':
      if (mark.recipient === DEVELOPMENT_BACKEND)
        return { kind: 'development', text: 'Development backend, not verified' };
      return elsewhere(mark.recipient, mark.ifSignedIn);
    case 'cannotBeSealed':
      return elsewhere(mark.cause === 'editor' ? `${GITHUB}, in part` : GITHUB, mark.ifSignedIn);
  }
}

/** Undefined while no models are recommended. */
export function placeAfter({ after, canTurnOff }: SidePromptRow, reach: Reach): Place | undefined {
  if (after === null) return undefined;
  const place = placeNow(after, reach);
  const isRefused = after.kind === 'cannotBeSealed' || (after.kind === 'goesTo' && canTurnOff);
  return isRefused ? { ...place, text: 'Cannot be sealed' } : place;
}

function elsewhere(recipient: string, ifSignedIn: boolean): Place {
  return ifSignedIn
    ? { kind: 'ifSignedIn', text: `${recipient}, if you sign in` }
    : { kind: 'elsewhere', text: recipient };
}

/** What a setting has now, and what it has once it is sealed. */
export function describeValues({ now, after }: SettingRow, { recommended }: SidePromptsSection): string {
  if (JSON.stringify(now) !== JSON.stringify(after)) return `Now ${valueText(now)}. After sealing ${valueText(after)}.`;
  return `Now ${valueText(now)}.${recommended === null || now === undefined ? '' : ' Sealing does not change it.'}`;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'not in this editor';
  return value === '' ? 'empty' : JSON.stringify(value);
}

export interface SealingSummary extends Summary {
  /** Once there is nothing left to seal: where all of them go, and why the others cannot be sealed. */
  readonly lines: readonly { readonly word: string; readonly names: string }[];
}

export function summarizeSealing(section: SidePromptsSection, prompts: PromptsSection): SealingSummary {
  const { rows, recommended, changes } = section;
  const { reach } = prompts;
  if (rows.every(({ now }) => now.kind === 'off')) {
    const [reason = '', ...others] = new Set(rows.map((row) => row.reason));
    const detail = others.length === 0 ? reason : '';
    return { tone: 'neutral', headline: 'VS Code sends no side prompts.', detail, lines: [] };
  }
  const now = rows.filter((row) => isOurs(row.now)).length;
  const after = rows.filter((row) => row.after !== null && isOurs(row.after)).length;
  const following = rows.filter((row) => row.now.kind === 'follows').length;
  const turnOff = rows.filter(isTurnedOffBest);
  const lines = recommended !== null && changes === 0 ? linesOf(rows, reach) : [];
  const sealing = joined(
    following === 0 || lines.length > 0
      ? ''
      : `${following} ${following === 1 ? 'follows' : 'follow'} the model that you select in the chat.`,
    recommended === null
      ? `${PRODUCT} offers no models at the moment, so nothing can be sealed.`
      : changes === 0
        ? 'Seal has nothing left to change.'
        : `Sealing writes ${settingCount(changes)}.` +
          (after > now
            ? ` Then ${after} of ${rows.length} ${after === 1 ? 'goes' : 'go'} to models of ${PRODUCT}. `
            : ' ') +
          `Short tasks go to ${recommended.utility}; agents and inline chat go to ${recommended.agent}.`,
    turnOff.length === 0
      ? ''
      : `To keep the following from leaving this computer, select "${SEALING_TITLES.turnOff}": ${titlesOf(turnOff)}.`,
  );
  return {
    tone: toneOf(section, reach),
    ...described({ now, of: rows.length, following }, prompts, sealing),
    lines,
  };
}

function isOurs(mark: Mark): boolean {
  return ['sealed', 'development'].includes(shareOf({ mark }));
}

/** An error is what the user can change. */
function toneOf({ rows, recommended, changes }: SidePromptsSection, reach: Reach): Summary['tone'] {
  const kinds = new Set(rows.map(({ now }) => placeNow(now, reach).kind));
  if (kinds.has('elsewhere') && (recommended === null || changes > 0)) return 'error';
  return [...kinds].every((kind) => kind === 'sealed' || kind === 'off') ? 'good' : 'warning';
}

/** While nothing reaches a verified enclave, that comes first, and nothing is called sealed. */
function described(
  { now: count, of, following }: { readonly now: number; readonly of: number; readonly following: number },
  prompts: PromptsSection,
  sealing: string,
): Pick<Summary, 'headline' | 'detail'> {
  const counted = count === 0 ? 'No side prompt' : `${count} of ${of} side prompts`;
  // With the right model in the chat, some go to the enclave nevertheless.
  const isUnset = count === 0 && following > 0;
  const verb = (one: string, more: string) => (isUnset ? 'is set to go' : count <= 1 ? one : more);
  switch (prompts.reach.kind) {
    case 'enclave':
      return {
        headline: `${counted} ${isUnset ? 'is set to a sealed model' : `${verb('is', 'are')} sealed`}.`,
        detail: sealing,
      };
    case 'development':
      return {
        headline: `${counted} ${verb('goes', 'go')} to ${count === 0 ? 'your backend' : `${DEVELOPMENT_BACKEND}, which is not verified`}.`,
        detail: sealing,
      };
    case 'nothing':
    case 'otherProgram':
    case 'otherProxy': {
      const goes = `${counted} ${verb('goes', 'go')} to ${PRODUCT}.`;
      return {
        headline: summaryOf(prompts).headline,
        detail: joined(goes, count === 0 ? '' : throughChat(prompts.reach).addition, sealing),
      };
    }
  }
}

/** What is sealed comes first, then what cannot be. */
const ORDER: readonly Mark['kind'][] = ['sealed', 'cannotBeSealed', 'goesTo', 'follows', 'unknown', 'off'];

function linesOf(rows: readonly SidePromptRow[], reach: Reach): SealingSummary['lines'] {
  const sorted = rows.toSorted((a, b) => ORDER.indexOf(a.now.kind) - ORDER.indexOf(b.now.kind));
  return [...Map.groupBy(sorted, ({ now }) => lineOf(now, reach).word)].flatMap(([word, group]) => {
    const [first] = group;
    return first === undefined
      ? []
      : [{ word, names: joined(sentence(titlesOf(group)), lineOf(first.now, reach).why) }];
  });
}

function lineOf(mark: Mark, reach: Reach): { readonly word: string; readonly why: string } {
  const { kind, text } = placeNow(mark, reach);
  switch (mark.kind) {
    case 'cannotBeSealed': {
      const condition = mark.ifSignedIn ? ` Nothing goes there unless you sign in to ${GITHUB} Copilot.` : '';
      return mark.cause === 'service'
        ? { word: 'Cannot be sealed', why: `Only services of ${GITHUB} can do this.${condition}` }
        : {
            word: 'Cannot be sealed completely',
            why: `VS Code sends a part to ${GITHUB}, whatever its settings say.${condition}`,
          };
    }
    case 'follows':
      return {
        word: VERDICTS[kind === 'ifSignedIn' ? 'depends' : kind].word,
        why: 'The model that you select in the chat decides.',
      };
    case 'goesTo':
      return { word: kind === 'development' ? VERDICTS.development.word : `Not sealed, to ${text}`, why: '' };
    case 'unknown':
      return { word: text, why: 'The details below say why.' };
    case 'sealed':
    case 'off':
      return { word: text, why: '' };
  }
}

/** User settings, counted. */
export function settingCount(count: number): string {
  return count === 1 ? '1 user setting' : `${count} user settings`;
}
