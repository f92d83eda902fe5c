// What can surround an assistant so that its prompts leave it although its configuration has our entry.
import type { Call } from '../script.ts';

/** What a row of the table refers to. */
export interface At {
  /** The address of the observer, without a path. */
  readonly observer: string;
  readonly home: string;
  readonly project: string;
}

/** Texts of files, by their path in a folder. */
type Files = Readonly<Record<string, string>>;

/** One row of the table: how the computer of a user differs from an empty one. */
export interface Surrounding {
  readonly name: string;
  /** The assistant's own file before it is connected; a text if it is TOML. */
  readonly own?: (at: At) => object | string;
  /** Other files in the home folder. */
  readonly home?: (at: At) => Files;
  readonly project?: (at: At) => Files;
  /** The files of an organization, below the root. Only with `isExtra`, because they need a mount of their own. */
  readonly system?: (at: At) => Files;
  /** The variables of the shell. */
  readonly variables?: (at: At) => Readonly<Record<string, string>>;
  /** The tool that the model calls first, given a task for a subagent. */
  readonly call?: (task: string) => Call;
  /** Arguments of the assistant, after those that every run has. */
  readonly args?: readonly string[];
  /** What happens to the prompts with an entry as version 0.7.0 wrote it. */
  readonly before: 'leave' | 'stay';
  /**
   * What connecting does about it. `sealed`: it is judged sealed, and no prompt leaves. `told`: it is not judged sealed.
   * Whatever a prompt leaves is never judged sealed.
   */
  readonly after: 'sealed' | 'told';
  /** It only runs with `--all-surroundings`: another row shows the same rule. */
  readonly isExtra?: true;
}

/** A computer on which nothing redirects the prompts. It also shows that the judgement can be `sealed`. */
export const NOTHING: Surrounding = { name: 'nothing else', before: 'stay', after: 'sealed' };

/** Variables of the shell with an HTTP proxy. */
export function proxyVariables(...names: readonly string[]): Pick<Surrounding, 'variables'> {
  return { variables: ({ observer }) => Object.fromEntries(names.map((name) => [name, observer])) };
}

/** The key of another provider, which is the observer. */
export const OTHER_KEY = 'key-of-another-provider';
/** Its model. */
export const OTHER_MODEL = 'other-model';
