// What a person may see of a file with keys in it. Pure.

const MASK = '••••••••';
/** Access keys of ours, also where they stand in an odd place. */
const OURS = /sealed-[A-Za-z0-9_-]{43}/g;
/** API keys of well-known form, and tokens of a header, wherever they stand. */
const KNOWN = /\bsk-[A-Za-z0-9_-]{8,}|(?<=\bBearer )[A-Za-z0-9._~+/-]{8,}=*/g;
/** Keys and the like of others, as JSON and YAML have them. `envKey` only names a variable. */
const THEIRS =
  /((?<!env_?)(?:key|token|secret|password|authorization)(?:_[a-z]+)?["']?[ \t]*:[ \t]*)("(?:[^"\\\n]|\\.)+"|'[^'\n]+'|[^\s"',{}[\]#][^\s,{}[\]]*)/gi;

/** The text with every key in it covered: `key`, and whatever looks like one. */
export function maskSecrets(text: string, key: string): string {
  return text
    .replaceAll(key, MASK)
    .replace(OURS, MASK)
    .replace(KNOWN, MASK)
    .replace(THEIRS, (_whole, name: string, value: string) => {
      const quote = /^["']/.exec(value)?.[0] ?? '';
      return name + quote + MASK + quote;
    });
}

/** A value as JSON, covered if its name says that it is secret. */
export function maskValue(name: string | number | undefined, value: unknown): string {
  const json = JSON.stringify(value);
  if (/(?<!env_?)(key|token|secret|password|authorization)(_[a-z]+)?$/i.test(String(name))) return MASK;
  return json.replace(OURS, MASK).replace(KNOWN, MASK);
}
