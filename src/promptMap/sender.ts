// src/promptMap lists everything that sends prompts, and says of each where they go. It reads configurations through the
// layers below it, and must not import the editor. This file: what is said about one sender. Pure.
import type { Remedy } from '../assistants/judgement.ts';
import type { Fact, SenderVerdict } from '../dashboard/model.ts';
import type { VisibleCommand } from '../presentation/commands.ts';

export type Group = 'editor' | 'extensions' | 'commandLine';

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
  readonly remedy?: SenderRemedy;
}
