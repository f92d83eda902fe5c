// How texts for users are put together.
export const PRODUCT = 'Sealed Proxy';

/** Said by an Undo of a notification from before: the editor cannot take notifications back. */
export const NOTHING_TO_UNDO = 'There is nothing to undo: it was undone or removed already.';

export type Tone = 'good' | 'warning' | 'error' | 'neutral';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Sentences after one another; empty ones are left out. */
export function joined(...sentences: readonly string[]): string {
  return sentences.filter((text) => text !== '').join(' ');
}

/** A, B and C. Of more than `most`: A, B and 3 more. */
export function listed(items: readonly string[], most = Infinity): string {
  const rest = items.length - most;
  const shown = rest > 0 ? [...items.slice(0, most), `${rest} more`] : items;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** The word for this many; by default, the plural has an s at its end. */
export function plural(count: number, one: string, more = `${one}s`): string {
  return count === 1 ? one : more;
}

/**
 * The warning about VS Code's side prompts that go to others; empty if there are none. A single one is named.
 * @param titles of these side prompts
 */
export function unsealedSentence(titles: readonly string[]): string {
  const [title = '', ...others] = titles;
  if (titles.length === 0) return '';
  return others.length === 0
    ? `One of VS Code's side prompts leaves this computer unsealed when it is used: ${title}.`
    : `${titles.length} of VS Code's side prompts leave this computer unsealed.`;
}

/** The parts of a text for users: every second one is the name of a setting. */
export function splitAtSettings(text: string): readonly string[] {
  return text.split(/(?<![\w./-])(sealedProxy(?:\.[a-zA-Z0-9]+)+|http\.[a-zA-Z]+)(?!\w|[.-]\w)/);
}

/** The settings that a text for users names. */
export function settingsIn(text: string): readonly string[] {
  return splitAtSettings(text).filter((_part, index) => index % 2 === 1);
}

/** With a punctuation mark at its end. */
export function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** With a capital letter at its beginning. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A PCR0 in a text. */
export const PCR0 = /\b[0-9a-f]{96}\b/;

/** A message with its PCR0, if any, shortened. */
export function shortened(message: string): string {
  return message.replace(PCR0, shortPcr0);
}

/** Both ends of a PCR0: what people compare. */
export function shortPcr0(pcr0: string): string {
  return `${pcr0.slice(0, 8)}…${pcr0.slice(-8)}`;
}

/** A time of day in the user's format. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString();
}

/** A time as ISO 8601 in UTC, to the second. */
export function isoTime(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '');
}
