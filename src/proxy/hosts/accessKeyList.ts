// The access keys of the command line, as a file or a variable lists them: each alone, or with the name of its client.
import { accessKeyId, isAccessKey } from '../../shared/accessKeys.ts';

export interface AccessKeyList {
  readonly accessKeys: readonly string[];
  /** The names of the clients, by the id of their key. Several keys may have the same one. */
  readonly clientNames: ReadonlyMap<string, string>;
}

const NAME = /^[\w.-]{1,64}$/;
/** What else the log writes in the place of a name, and what could be a key. */
const RESERVED = /^(?:direct|none|other|unknown)$|sealed[-_]/i;
const NAME_RULE = `the name of a client is 1 to 64 letters, digits, ".", "_" or "-", and not "direct", "none", "other" or "unknown"`;
export const KEY_RULE = 'an access key is "sealed-" and 43 characters of Base64url';

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
export function parseKeyVariable(text: string, refuse: (reason: string) => Error): AccessKeyList {
  return parseItems(text.split(/[,\r\n]/), (_, reason) => refuse(reason));
}

function parseItems(items: readonly string[], refuse: (index: number, reason: string) => Error): AccessKeyList {
  const names = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const [index, item] of items.entries()) {
    if (item.trim() === '') continue;
    const separator = item.indexOf('=');
    const key = item.slice(separator + 1).trim();
    if (!isAccessKey(key)) throw refuse(index, KEY_RULE);
    const id = accessKeyId(key);
    const name = separator === -1 ? undefined : item.slice(0, separator).trim();
    const problem = name === undefined ? undefined : nameProblem(name);
    if (problem !== undefined) throw refuse(index, problem);
    if (keys.has(id) && names.get(id) !== name) throw refuse(index, 'another client has the same access key');
    keys.set(id, key);
    if (name !== undefined) names.set(id, name);
  }
  return { accessKeys: [...keys.values()], clientNames: names };
}
