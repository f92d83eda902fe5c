// Hides secrets in text that is shown or copied: configuration files, error messages, reports. Pure.
import { isAccessKey } from '../shared/accessKeys.ts';

const MASK = '••••••••';
/** The end of an access key that stays visible, in characters. */
const TAIL = 4;
const MASKED = new RegExp(`^${MASK}[A-Za-z0-9_-]{0,${TAIL}}$`);
/** A known secret that is shorter would hide ordinary words as well. */
const MIN_LENGTH = 6;
/** Secrets that can be recognized by their form or by the text before them. */
const TOKENS = [
  /sealed-[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|hf_)[A-Za-z0-9_-]{8,}/g,
  /(?<=\b(?:bearer|basic)\s{1,16})[^\s,;"']+/gi,
  // In URLs: user name and password, and query parameters such as `?api_key=`, which arguments of commands have too.
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /(?<=(?:key|token|secret|password)=)[^\s&"',[\]{}]+/gi,
  /(?<=--[a-z-]{0,40}(?:key|token|secret|password)["']?,?[ \t]{1,4}["']?)[^\s"',[\]{}-][^\s"',[\]{}]*/gi,
];
/** A number of tokens, as a variable has it. */
const COUNT = String.raw`(?<=TOKENS["']?\s*[:=]\s*)"\d{1,9}"`;
/** Names of secret values. `envKey` names a variable, so its value is not secret. */
const NAME = '(?<!env_?)(?:key|token|secret|passw(?:or)?d|credential|authorization|cookie|_pat)';
/** Such a name with its value, as JSON, YAML and TOML write it: quoted, as a block, plain. */
const NAMED_VALUES = [
  String.raw`s?(?:_[a-z]+)?["']?[ \t]*=[ \t]*)("""[^]*?"""|'''[^]*?''')`,
  String.raw`s?(?:_[a-z]+)?["']?\s*[:=]\s*(?:\[\s*)?)(?!${COUNT})("(?:[^"\\\n]|\\.)+"|'(?:[^'\n]|'')+')`,
  String.raw`(?:_[a-z]+)?["']?[ \t]*:[ \t]*[|>][-+0-9]*[ \t]*\r?\n[ \t]+)([^\r\n]+)`,
  String.raw`(?:_[a-z]+)?["']?[ \t]*:[ \t]*(?:[&!]\S*[ \t]+)*)([^\s"',{}[\]#|>][^\s,{}[\]]*)`,
].map((rest) => new RegExp(`(${NAME}${rest}`, 'gi'));
const SECRET_NAME = new RegExp(`${NAME}s?(?:_[a-z]+)?$`, 'i');

/**
 * The mask of a secret in the preview of a change. Of an access key, the end stays visible: it tells two keys apart, and can be
 * compared with the key in a file. An access key has 256 random bits. Its last four characters are 22 of them, so the rest
 * cannot be guessed. Of any other secret nothing stays: it may be short or easy to guess.
 * @param secret may be masked already
 */
function mask(secret: string): string {
  if (MASKED.test(secret)) return secret;
  return isAccessKey(secret) ? MASK + secret.slice(-TAIL) : MASK;
}

/** Hides the given secrets, and everything that has the form of a key, a token or a password in a URL. Nothing of them stays. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return hide(text, secrets, () => MASK);
}

function hide(text: string, secrets: readonly string[], maskOf: (secret: string) => string): string {
  // The longest first: one may be part of another.
  const known = secrets
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, maskOf(secret)), text);
  return TOKENS.reduce((rest, pattern) => rest.replace(pattern, maskOf), withoutKnown);
}

/**
 * Hides the same in a JSON, YAML or TOML text, and the values whose names say that they are secret. The lines stay, and the
 * ends of access keys.
 */
export function redactConfig(text: string, secret: string): string {
  return NAMED_VALUES.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (_match, name: string, value: string) => {
        const quote = /^["']/.exec(value)?.[0] ?? '';
        return name + quote + mask(quote === '' ? value : value.slice(1, -1)) + quote;
      }),
    hide(text, [secret], mask),
  );
}

/** A value as JSON, hidden if its name says that it is secret. The ends of access keys stay. */
export function redactValue(name: string | number | undefined, value: unknown): string {
  const isCount = /tokens$/i.test(String(name)) && /^\d{1,9}$/.test(String(value));
  return SECRET_NAME.test(String(name)) && !isCount ? mask(String(value)) : hide(JSON.stringify(value), [], mask);
}
