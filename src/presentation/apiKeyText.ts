// What the user reads when an API key is needed or entered. Pure.

/** The default of the setting backendUrl. */
export const DEFAULT_BACKEND = 'https://enclave.trymaple.ai';
/** Where users of the default backend get an API key. */
const KEY_SITE = 'https://trymaple.ai';
const KEY_SITE_NAME = 'trymaple.ai';

/** In characters. */
const MAX_LENGTH = 16_384;
/** An access key, complete or damaged in copying. */
const LIKE_ACCESS_KEY = /^["']?sealed[-_]|sealed[-_][\w-]{20}/i;
/** What stands before a key in the places that users copy from. */
const BEFORE_KEY = /^(?:(?:authorization:\s*)?bearer\b|authorization:|(?:export\s)?[a-z_]{0,40}key\s?[:=])/i;
const QUOTES = '"\'`“”‘’';

/** What to do if the backend refuses the API key. */
export const NEW_KEY = 'The key is invalid or was deleted. Set a new one.';

/** A sentence that says where the user of this backend gets an API key. */
export function keySource(backendUrl: string): string {
  return backendUrl === DEFAULT_BACKEND
    ? `Create one at ${KEY_SITE_NAME}, under API Keys.`
    : 'Get one from the operator of your backend.';
}

/** A text that contains `keySource()`, with a link: for Markdown, and for input boxes, which show links as well. */
export function withKeyLink(text: string): string {
  return text.replace(`at ${KEY_SITE_NAME}`, `at [${KEY_SITE_NAME}](${KEY_SITE})`);
}

/** What the input box for the API key says. `reason`: a sentence that says why it is shown; may be empty. */
export function keyPrompt(reason: string, backendUrl: string): string {
  const stored = "The key is tested, then kept in VS Code's secret storage.";
  return withKeyLink([reason || "Enter your backend's API key.", keySource(backendUrl), stored].join(' '));
}

/** After a key was saved that the backend has not judged. `reason`: sentences that say why. */
export function untestedKey(reason: string): string {
  return `The API key was saved, but could not be tested. ${reason} Sealed Proxy uses the key once it reaches the backend, and its status bar item shows if the backend refuses it.`;
}

/**
 * Why this text cannot be an API key, in a sentence for the user; undefined if it can be one.
 * @param text without white space at its ends
 * @param accessKeys the known access keys
 */
export function apiKeyProblem(text: string, accessKeys: readonly string[]): string | undefined {
  if (text === '') return 'Enter the API key.';
  if (LIKE_ACCESS_KEY.test(text) || accessKeys.includes(`sealed-${text}`))
    return "This is an access key of Sealed Proxy. Enter the backend's API key instead.";
  const [prefix] = BEFORE_KEY.exec(text) ?? [];
  if (prefix !== undefined) return `Paste only the key, without "${prefix}" before it.`;
  if (/^https?:/i.test(text)) return 'This is an address, not an API key.';
  if ([text.at(0), text.at(-1)].some((end = '') => QUOTES.includes(end)))
    return 'Remove the quotation marks around the key.';
  if (/[\r\n]/.test(text)) return 'The text has several lines. Paste only the key.';
  if (/\s/.test(text)) return 'An API key contains no spaces. Copy it again, without the text around it.';
  if (/[•…]|\*{3}|\.{3}/.test(text)) return 'This key is shortened or hidden. Copy the complete key.';
  if (!/^[\x21-\x7e]+$/.test(text))
    return 'An API key contains only letters, digits and punctuation without accents. Copy it again.';
  if (text.length > MAX_LENGTH) return 'An API key has at most 16,384 characters.';
  return undefined;
}
