// Makes text from outside (a backend, a file, another program) safe to show: the editor would take some of it for links,
// commands, icons or formatting. Pure.

/** The longest text of a list row, in characters. */
const LONGEST_LABEL = 100;
/** The longest name in a table that also has numbers, in characters. */
export const LONGEST_NAME = 64;
/** The longest name or value on a page, in characters. */
const LONGEST_TEXT = 200;
/** The editor cuts off notifications after 1000 characters. */
const LONGEST_NOTICE = 800;

/** Control characters (the beginning of terminal sequences), halves of characters, and end marks of lines. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters that change the direction of text, or that nobody sees. Those that join letters of a script stay. */
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** More marks on a letter than any language has; together they would cover the lines around it. */
const PILED_MARKS = /(\p{M}{6})\p{M}+/gu;
const REPLACEMENT = '\ufffd';

/**
 * For a place that shows plain text: one line without controls, hidden characters and marks that reorder text, each of
 * which becomes U+FFFD.
 * @param longest in characters; a longer text ends with `…`
 */
export function asPlain(text: string, longest = LONGEST_TEXT): string {
  const isLong = text.length > longest;
  const line = (isLong ? text.slice(0, longest - 1) : text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(CONTROLS, REPLACEMENT)
    .replaceAll(HIDDEN, REPLACEMENT)
    .replaceAll(PILED_MARKS, '$1');
  return isLong ? `${line}…` : line;
}

/** For a Markdown document or tooltip: one line in which nothing becomes a link, image, icon, format or table cell. */
export function asMarkdown(text: string, longest = Infinity): string {
  return asPlain(text, longest).replaceAll(/^[#+-]|[\\`*_[\]<>|&~$]/g, '\\$&');
}

/** For a Markdown document: an identifier or address as code. Characters that none of them needs become `?`. */
export function asCode(identifier: string, longest = Infinity): string {
  return `\`${asPlain(identifier, longest).replaceAll(/[^\x21-\x7e…]|[`|$]/g, '?')}\``;
}

/**
 * For a notification, where the editor turns Markdown links into links and commands. It shows hidden progress in the status
 * bar, where it draws icons.
 */
export function asNotice(text: string): string {
  return asPlain(text, LONGEST_NOTICE).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/** For a row of a list, where the editor draws icons: a check mark from outside would look like a verdict. */
export function asLabel(text: string, longest = LONGEST_LABEL): string {
  return asPlain(text, longest).replaceAll('$(', '$ (');
}
