// Where the prompts of a program go: the ways in which they leave it, and one judgement of them. Pure.

/** Where one kind of prompt goes. */
export type Destination =
  /** To our proxy, directly, with an access key that it accepts. */
  | { readonly kind: 'sealed' }
  /** It is not sent at all. */
  | { readonly kind: 'off' }
  /** To another provider, or in plain text through an HTTP proxy. `recipient` names it, without a secret. */
  | { readonly kind: 'elsewhere'; readonly recipient: string; readonly through?: 'httpProxy' }
  | { readonly kind: 'unknown' };

/** What decides where a kind of prompt goes, and where the user can change it. */
export type Source =
  | { readonly kind: 'file'; readonly path: string; /** Such as `agent.build.model`. */ readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'setting'; readonly key: string };

/** One way in which prompts leave a program. */
export interface Route {
  /** Which prompts, for users, such as `Chat`, `Titles and summaries`, `The agent "build"`. May contain text from outside. */
  readonly prompts: string;
  readonly destination: Destination;
  readonly source?: Source;
  /** What the user can do about this route, if it is not sealed. */
  readonly remedy?: Remedy;
}

/** What was read to find the routes. */
export interface RouteReading {
  readonly routes: readonly Route[];
  /** Absolute paths of the files and folders that were read or looked for: a change of one may change the routes. */
  readonly watched: readonly string[];
}

/** What the user can do about it; each is a button. */
export type Remedy =
  /** Connecting again sets what is missing. */
  | { readonly kind: 'connect' }
  | { readonly kind: 'repair' }
  | { readonly kind: 'open'; readonly source: Source }
  /** A line to add to the start-up file of the shell. */
  | { readonly kind: 'copy'; readonly text: string };

export interface Judgement {
  /** `partly`: some prompts are sealed and others are not. */
  readonly kind: 'sealed' | 'partly' | 'elsewhere' | 'unknown';
  /** For the user, in one sentence: which prompts go where, and what decides. May contain text from outside. */
  readonly sentence: string;
  readonly routes: readonly Route[];
  readonly remedy?: Remedy;
}
