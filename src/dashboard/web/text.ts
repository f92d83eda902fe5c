// Texts from outside (a backend, a client, a certificate), as the dashboard shows them. Pure.
import { asPlain } from '../../shared/escape.ts';

/** The longest texts, in UTF-16 units. */
const LONGEST_CELL = 120;
const LONGEST_DETAIL = 2000;

/** For a tooltip or a paragraph. */
export function visibleText(text: string): string {
  return asPlain(text, LONGEST_DETAIL);
}

/** For a place that has room for some words. */
export function shortText(text: string): string {
  return asPlain(text, LONGEST_CELL);
}
