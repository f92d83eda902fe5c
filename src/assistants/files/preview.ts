// What a person may see of a file with keys in it. Pure.

import { ACCESS_KEYS } from '../../shared/accessKeys.ts';

const MASK = '••••••••';
/** What is a secret by its own form or its place in a line, wherever it stands. */
const KNOWN = [
  /\b(?:sk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|hf_)[A-Za-z0-9_-]{8,}/g,
  /(?<=\bBearer )[A-Za-z0-9._~+/-]{8,}=*/g,
  // In addresses: a name with a password, and what follows `?api_key=`; so do arguments of commands.
  /(?<=:\/\/)[^\s/"'@]+(?=@)/g,
  /(?<=(?:key|token|secret|password)=)[^\s&"',[\]{}]+/gi,
  /(?<=--[a-z-]{0,40}(?:key|token|secret|password)["']?,?[ \t]{1,4}["']?)[^\s"',[\]{}-][^\s"',[\]{}]*/gi,
];
const NAMED = '(?<!env_?)(?:key|token|secret|passw(?:or)?d|credential|authorization|cookie|_pat)';
/** Keys and the like of others, as JSON and YAML have them: quoted, in a block, plain. `envKey` only names a variable. */
const THEIRS = [
  String.raw`s?(?:_[a-z]+)?["']?\s*:\s*(?:\[\s*)?)("(?:[^"\\\n]|\\.)+"|'(?:[^'\n]|'')+')`,
  String.raw`(?:_[a-z]+)?["']?[ \t]*:[ \t]*[|>][-+0-9]*[ \t]*\r?\n[ \t]+)([^\r\n]+)`,
  String.raw`(?:_[a-z]+)?["']?[ \t]*:[ \t]*(?:[&!]\S*[ \t]+)*)([^\s"',{}[\]#|>][^\s,{}[\]]*)`,
].map((rest) => new RegExp(`(${NAMED}${rest}`, 'gi'));
const ENDS_SO = new RegExp(`${NAMED}s?(?:_[a-z]+)?$`, 'i');

/** The text with every key in it covered: `key`, and whatever looks like one. */
export function maskSecrets(text: string, key: string): string {
  let covered = maskKnown(text.replaceAll(key, MASK));
  for (const pattern of THEIRS) {
    covered = covered.replace(pattern, (_whole, name: string, value: string) => {
      const quote = /^["']/.exec(value)?.[0] ?? '';
      return name + quote + MASK + quote;
    });
  }
  return covered;
}

/** Without what is a secret wherever it stands. */
export function maskKnown(text: string): string {
  return KNOWN.reduce((covered, pattern) => covered.replace(pattern, MASK), text.replace(ACCESS_KEYS, MASK));
}

/** A value as JSON, covered if its name says that it is secret. */
export function maskValue(name: string | number | undefined, value: unknown): string {
  return ENDS_SO.test(String(name)) ? MASK : maskKnown(JSON.stringify(value));
}
