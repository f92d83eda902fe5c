// src/promptMap lists everything that sends prompts, and says of each where they go. It reads configurations through the
// layers below it, and must not import the editor. This file: what is said about one sender. Pure.
import type { Remedy } from '../assistants/judging/judgement.ts';
import type { VisibleCommand } from '../presentation/commands.ts';
import { listed } from '../presentation/text.ts';
import type { Fact, Tone } from '../presentation/text.ts';
import { LONGEST_NAME, asPlain } from '../shared/escape.ts';

/** Where the prompts of a program, or of a part of the editor, go; the worst first. */
export const VERDICTS = {
  /** To another provider. */
  elsewhere: { word: 'Not sealed', tone: 'error' },
  /** Some to a verified enclave, others to another provider. */
  partly: { word: 'Partly sealed', tone: 'warning' },
  unknown: { word: 'Unknown', tone: 'warning' },
  /** To the model that the user selects each time. */
  depends: { word: 'Depends on the model', tone: 'warning' },
  /** Only to a development backend, encrypted. */
  development: { word: 'Not verified', tone: 'warning' },
  /** Nowhere: its requests fail until the proxy works. */
  blocked: { word: 'Blocked', tone: 'warning' },
  /** Only to a verified enclave. */
  sealed: { word: 'Sealed', tone: 'good' },
  /** It sends none. */
  off: { word: 'Sends none', tone: 'neutral' },
} as const satisfies Readonly<Record<string, { readonly word: string; readonly tone: Tone }>>;

export type SenderVerdict = keyof typeof VERDICTS;

export const VERDICT_ORDER = Object.keys(VERDICTS) as readonly SenderVerdict[];

export type Group = 'editor' | 'extensions' | 'commandLine';

/** Agents that VS Code brings itself: nothing says whether they are used. */
export const AGENTS_ID = 'agents';

/** What the button of a sender does. */
export type SenderRemedy =
  | { readonly kind: 'assistant'; readonly assistant: string; readonly remedy: Remedy }
  | { readonly kind: 'command'; readonly name: VisibleCommand }
  /** The extension in the editor's list of extensions, where the user can disable it. */
  | { readonly kind: 'extension'; readonly id: string };

/** A part of the editor or a program that sends prompts, or could. */
export interface Sender {
  /** Unique in a list. */
  readonly id: string;
  /** May contain text from outside, like all other texts here. */
  readonly name: string;
  readonly group: Group;
  readonly verdict: SenderVerdict;
  /** Where the prompts go and what decides, in one or two sentences. */
  readonly sentence: string;
  /** The details: each kind of prompt, with where it goes; may be empty. */
  readonly details: readonly Fact[];
  /** The titles of VS Code's side prompts in it that go to others. */
  readonly unsealed?: readonly string[];
  readonly remedy?: SenderRemedy;
}

/** The senders with one verdict. */
export interface VerdictLine {
  readonly verdict: SenderVerdict;
  /** The verdict in one or two words. */
  readonly word: string;
  readonly count: number;
  readonly names: string;
}

/**
 * A line for each verdict that a sender has.
 * @param most names in a line
 */
export function verdictLines(senders: readonly Sender[], most: number): readonly VerdictLine[] {
  return VERDICT_ORDER.flatMap((verdict) => {
    const names = senders.filter((sender) => sender.verdict === verdict).map(({ name }) => asPlain(name, LONGEST_NAME));
    if (names.length === 0) return [];
    return [{ verdict, word: VERDICTS[verdict].word, count: names.length, names: listed(names, most) }];
  });
}

/** All names, and always how many are sealed. No text in it contains a path. */
export function completeVerdictLines(senders: readonly Sender[]): readonly VerdictLine[] {
  const lines = verdictLines(senders, Infinity);
  const isSealed = lines.some(({ verdict }) => verdict === 'sealed');
  if (lines.length === 0 || isSealed) return lines;
  return [...lines, { verdict: 'sealed', word: VERDICTS.sealed.word, count: 0, names: 'none' }];
}
