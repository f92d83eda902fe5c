// Text from outside (a backend, a client, a certificate) as the dashboard shows it. Pure.

/** Characters that are not visible or change the direction of the text around them; U+200D stays, emoji need it. */
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- these are the characters to replace
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** More marks on a letter than any language has; together they would cover the lines around it. */
const PILED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** The longest text of a table cell, in UTF-16 units. */
const LONGEST_CELL = 120;
/** The longest tooltip or detail, in UTF-16 units. */
const LONGEST_DETAIL = 2000;

/** The complete text up to a limit, with a visible mark in the place of each character that could mislead. */
export function visibleText(text: string, longest = LONGEST_DETAIL): string {
  const isLong = text.length > longest;
  const shown = (isLong ? text.slice(0, longest) : text)
    .toWellFormed()
    .replaceAll(INVISIBLE, '\ufffd')
    .replaceAll(PILED_MARKS, '$1\ufffd');
  return isLong ? `${shown}…` : shown;
}

/** The same for a place that has room for some words. */
export function shortText(text: string): string {
  return visibleText(text, LONGEST_CELL);
}
