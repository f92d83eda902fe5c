// What is said about a kind of side prompt: a prompt that the editor sends besides those that the user writes. Pure.
import { DEVELOPMENT_BACKEND } from './facts.ts';
import { SETTINGS } from './settings.ts';

export type Mark =
  /** Goes to one of our models, in an attested enclave. */
  | { readonly kind: 'sealed' }
  /** Not sent at all. */
  | { readonly kind: 'off' }
  /** Goes to the model that is selected in the chat. */
  | { readonly kind: 'follows' }
  /** `ifSignedIn`: not at present, because the user is not signed in there. */
  | { readonly kind: 'goesTo'; readonly recipient: string; readonly ifSignedIn: boolean }
  /**
   * At least a part of it goes to GitHub, and no setting can change the recipient. `cause`: only a service of GitHub does
   * this, or the editor ignores its settings for a part. `ifSignedIn`: as above.
   */
  | { readonly kind: 'cannotBeSealed'; readonly cause: 'service' | 'editor'; readonly ifSignedIn: boolean }
  | { readonly kind: 'unknown' };

/** One kind of side prompt. */
export interface SidePrompt {
  readonly title: string;
  readonly mark: Mark;
  /** In sentences: what decides, and what the user can do. May contain text from outside. */
  readonly reason: string;
  /** The settings that decide; the first one is the most important. */
  readonly settings: readonly string[];
  /** A chat with another vendor's model, which the user selects: it is not counted. */
  readonly isChat?: true;
}

export function markText(mark: Mark): string {
  switch (mark.kind) {
    case 'sealed':
    case 'off':
    case 'unknown':
      return mark.kind;
    case 'follows':
      return 'follows the selected model';
    case 'goesTo':
      return `goes to ${mark.recipient}${condition(mark)}`;
    case 'cannotBeSealed':
      return `cannot be sealed${condition(mark)}`;
  }
}

function condition({ ifSignedIn }: { readonly ifSignedIn: boolean }): string {
  return ifSignedIn ? ' if you sign in' : '';
}

/** Like `markText`, but does not say "sealed": whether the proxy reaches a verified enclave, the mark does not know. */
export function destinationText(mark: Mark): string {
  return mark.kind === 'sealed' ? 'goes to Sealed Proxy' : markText(mark);
}

/** Those that VS Code sends by itself. */
export function withoutChats(prompts: readonly SidePrompt[]): readonly SidePrompt[] {
  return prompts.filter(({ isChat }) => isChat !== true);
}

/** Ghost text and next edit suggestions: all that is not counted with the others. */
export function isInline({ settings: [first] }: SidePrompt): boolean {
  return first === SETTINGS.ghostText || first === SETTINGS.nextEdits;
}

/** Where the prompts of one kind go now. `ifSignedIn`: nowhere, unless the user signs in to GitHub Copilot. */
export type Share = 'sealed' | 'development' | 'elsewhere' | 'ifSignedIn' | 'depends' | 'unknown' | 'off';

export function shareOf({ mark }: Pick<SidePrompt, 'mark'>): Share {
  switch (mark.kind) {
    case 'sealed':
    case 'off':
    case 'unknown':
      return mark.kind;
    case 'follows':
      return 'depends';
    case 'cannotBeSealed':
      return mark.ifSignedIn ? 'ifSignedIn' : 'elsewhere';
    case 'goesTo':
      if (mark.ifSignedIn) return 'ifSignedIn';
      return mark.recipient === DEVELOPMENT_BACKEND ? 'development' : 'elsewhere';
  }
}

/** The titles of those that VS Code sends to others than Sealed Proxy, for the tooltip. */
export function unsealedTitles(prompts: readonly SidePrompt[]): readonly string[] {
  const unsealed = withoutChats(prompts).filter((prompt) => shareOf(prompt) === 'elsewhere');
  return unsealed.map(({ title }) => title);
}

/** For the diagnosis: the numbers of the dashboard's rows for side prompts and for inline suggestions. */
export function summaryOfMarks(prompts: readonly SidePrompt[]): string {
  const own = withoutChats(prompts);
  const inline = own.filter(isInline);
  const others = countMarks(own.filter((prompt) => !isInline(prompt)));
  return inline.length === 0 ? others : `${others}; inline suggestions: ${countMarks(inline)}`;
}

/** How many of them go where, in words; what concerns the user comes first. */
export function countMarks(prompts: readonly SidePrompt[]): string {
  const counts = Map.groupBy(prompts, ({ mark }) => destinationText(mark));
  const rank = ({ kind }: Mark) => ORDER.indexOf(kind);
  return [...counts]
    .map(([text, found]) => ({ text, count: found.length, at: Math.min(...found.map(({ mark }) => rank(mark))) }))
    .sort((a, b) => a.at - b.at)
    .map(
      ({ text, count }) => `${count} ${count === 1 ? text : text.replace(/^goes/, 'go').replace(/^follows/, 'follow')}`,
    )
    .join(', ');
}

const ORDER: readonly Mark['kind'][] = ['goesTo', 'cannotBeSealed', 'unknown', 'follows', 'sealed', 'off'];
