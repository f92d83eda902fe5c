// Estimates the number of tokens in a text from its kinds of characters. An exact count would need the tokenizer of the
// model, which the backend does not name and whose tables take megabytes. The estimate is rather too high: compared with
// o200k_base, 1.3 to 1.8 times as many for code, prose and JSON, and about as many for Base64. Pure.

/**
 * Words (split at capitals), single digits (a token each in some tokenizers), spaces, and single other characters. Words and
 * spaces of millions of characters would be too much for the matcher's stack.
 */
const UNIT = /[A-Z]?[a-z]{1,4096}|[A-Z]|\d|\s{1,4096}|./gsu;
const LETTERS_PER_TOKEN = 4;
const SPACES_PER_TOKEN = 16;
/** The overhead of a message. */
export const PER_MESSAGE = 4;
/** The most that common models count for an image. */
export const PER_IMAGE = 1600;

/** The estimated number of tokens in a text. */
export function countTokens(text: string): number {
  let count = 0;
  for (const [unit] of text.matchAll(UNIT)) count += tokensOf(unit);
  return count;
}

function tokensOf(unit: string): number {
  const code = unit.codePointAt(0) ?? 0;
  if (code > 0x7f) return isCommonScript(code) ? 1 : 2;
  if (/[A-Za-z]/.test(unit)) return Math.ceil(unit.length / LETTERS_PER_TOKEN);
  if (unit === ' ') return 0; // part of the next word's token
  return /\s/.test(unit) ? Math.ceil(unit.length / SPACES_PER_TOKEN) : 1;
}

/** Latin, Greek, Cyrillic and East Asian scripts. In other scripts, a character may be several tokens. */
function isCommonScript(code: number): boolean {
  return code < 0x590 || (code >= 0x2e80 && code < 0xd7b0);
}
