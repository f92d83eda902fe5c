// The access keys of the command line, as a file or a variable lists them: each alone, or with the name of its client; in a
// file, also with limits.
import { parseModelId } from '../../settings/rules.ts';
import { accessKeyId, isAccessKey } from '../../shared/accessKeys.ts';
import type { KeyLimits } from '../server/clientLimits.ts';

export interface AccessKeyList {
  readonly accessKeys: readonly string[];
  /** The names of the clients, by the id of their key. Several keys may have the same one. */
  readonly clientNames: ReadonlyMap<string, string>;
  /** By the id of the key. */
  readonly keyLimits: ReadonlyMap<string, KeyLimits>;
}

/** Makes an error from the reason, which does not show the text. */
type Refuse = (reason: string) => Error;

const NAME = /^[\w.-]{1,64}$/;
/** What else the log writes in the place of a name, and what could be a key. */
const RESERVED = /^(?:direct|none|other|unknown)$|sealed[-_]/i;
const NAME_RULE = `the name of a client is 1 to 64 letters, digits, ".", "_" or "-", and not "direct", "none", "other" or "unknown"`;
export const KEY_RULE = 'an access key is "sealed-" and 43 characters of Base64url';
const LIMIT_RULE =
  'only expires=2027-01-31, models=a,b, requests=60/min and tokens=100000/min may follow a key, separated by spaces, each once';
const QUOTES_RULE = 'the key or its line is in quotes; remove them';
const LINES_RULE = `${KEY_RULE}; each key is in a line of its own, without commas`;
const FILE_RULE =
  'only a comma or a line break may follow a key; limits of clients need a file, which PROXY_ACCESS_KEYS_FILE names';

/** Why this cannot be the name of a client; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  return NAME.test(name) && !RESERVED.test(name) ? undefined : NAME_RULE;
}

/**
 * A file with one key in each line. `#` begins a comment.
 * @param refuse makes the error for a line, from its number and the reason, which does not show the line
 */
export function parseKeyFile(text: string, refuse: (line: number, reason: string) => Error): AccessKeyList {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/#.*/, ''));
  return parseItems(lines, (index, reason) => refuse(index + 1, reason));
}

/** The value of a variable: commas or line breaks separate the keys. */
export function parseKeyVariable(text: string, refuse: Refuse): AccessKeyList {
  return parseItems(text.split(/[,\r\n]/), (_, reason) => refuse(reason), false);
}

function parseItems(
  items: readonly string[],
  refuse: (index: number, reason: string) => Error,
  allowsLimits = true,
): AccessKeyList {
  const names = new Map<string, string>();
  const keys = new Map<string, string>();
  const keyLimits = new Map<string, KeyLimits>();
  const seen = new Map<string, string>();
  for (const [index, item] of items.entries()) {
    if (item.trim() === '') continue;
    const { name, key = '', words } = readItem(item.trim());
    if (!isAccessKey(key)) throw refuse(index, keyProblem(item, allowsLimits));
    const problem = name === undefined ? undefined : nameProblem(name);
    if (problem !== undefined) throw refuse(index, problem);
    if (words.length > 0 && !allowsLimits) throw refuse(index, FILE_RULE);
    const id = accessKeyId(key);
    const rest = [name, ...words].join(' ');
    if ((seen.get(id) ?? rest) !== rest) {
      throw refuse(index, allowsLimits ? 'another line has the same access key' : 'the same access key is there twice');
    }
    seen.set(id, rest);
    keys.set(id, key);
    if (name !== undefined) names.set(id, name);
    if (words.length > 0)
      keyLimits.set(
        id,
        parseLimits(words, (reason) => refuse(index, reason)),
      );
  }
  return { accessKeys: [...keys.values()], clientNames: names, keyLimits };
}

/** Why there is no access key in this line of a file, or in this part of a variable. */
function keyProblem(item: string, isLine: boolean): string {
  if (/["'`]/.test(item)) return QUOTES_RULE;
  return isLine && item.includes(',') ? LINES_RULE : `${KEY_RULE}; to make one: sealed-proxy keys new NAME`;
}

function readItem(item: string) {
  const [first = '', ...others] = item.split(/\s+/);
  if (isAccessKey(first)) return { name: undefined, key: first, words: others };
  const separator = item.indexOf('=');
  const [key, ...words] = item
    .slice(separator + 1)
    .trim()
    .split(/\s+/);
  return { name: separator === -1 ? undefined : item.slice(0, separator).trim(), key, words };
}

/**
 * The limits of a client, such as `requests=60/min`.
 * @throws the error of `refuse`
 */
export function parseLimits(words: readonly string[], refuse: Refuse): KeyLimits {
  const limits: Partial<Record<string, unknown>> = {};
  for (const word of words) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
    const parse = PARSERS.get(name);
    if (parse === undefined || name in limits) throw refuse(LIMIT_RULE);
    limits[name] = parse(value, (reason) => refuse(`${name}: ${reason}`));
  }
  return limits;
}

const PARSERS: ReadonlyMap<string, (value: string, refuse: Refuse) => unknown> = new Map(
  Object.entries({ expires: parseDay, models: parseModels, requests: parsePerMinute, tokens: parsePerMinute }),
);

function parseDay(value: string, refuse: Refuse): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const day = isDay ? new Date(value) : undefined;
  if (day === undefined || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value))
    throw refuse('it must be the last day on which the key is valid, such as 2027-01-31');
  return value;
}

function parseModels(value: string, refuse: Refuse): string[] {
  const models = value.split(',');
  if (models.includes('') || /["'`*]/.test(value)) {
    throw refuse('it must be the IDs of models, separated by commas and without spaces, quotes and *');
  }
  return models.map((model) => parseModelId(model, refuse));
}

function parsePerMinute(value: string, refuse: Refuse): number {
  const count = Number(/^([1-9]\d{0,11})\/min$/.exec(value)?.[1] ?? 0);
  if (count === 0) throw refuse('it must be a whole number from 1 to 999999999999 and /min, such as 60/min');
  return count;
}
