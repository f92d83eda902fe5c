// What is said about a kind of side prompt: a prompt that the editor sends besides those that the user writes. Pure.

export type Mark =
  /** Goes to one of our models, in an attested enclave. */
  | { readonly kind: 'sealed' }
  /** Not sent at all. */
  | { readonly kind: 'off' }
  /** Goes to the model that is selected in the chat. */
  | { readonly kind: 'follows' }
  /** `ifSignedIn`: not at present, because the user is not signed in there. */
  | { readonly kind: 'goesTo'; readonly recipient: string; readonly ifSignedIn: boolean }
  /** At least a part of it goes to others, and no setting can change the recipient. */
  | { readonly kind: 'cannotBeSealed' }
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
      return `goes to ${mark.recipient}${mark.ifSignedIn ? ' if you sign in' : ''}`;
    case 'cannotBeSealed':
      return 'cannot be sealed';
  }
}

/** Those that VS Code sends by itself. */
export function withoutChats(prompts: readonly SidePrompt[]): readonly SidePrompt[] {
  return prompts.filter(({ isChat }) => isChat !== true);
}

/** How many side prompts have each mark, in words; the marks that concern the user come first. */
export function summaryOfMarks(prompts: readonly SidePrompt[]): string {
  const counts = Map.groupBy(withoutChats(prompts), ({ mark }) => markText(mark));
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
