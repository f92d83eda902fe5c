// src/extension/assistants points AI assistants to the proxy. It knows files and text, and never the editor: what is shown
// and asked is the command's.

/** A model, and what is known of it; sizes in tokens. */
export interface ModelChoice {
  readonly id: string;
  readonly name?: string;
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly tools?: boolean;
  readonly images?: boolean;
}

/** Where the files of assistants are. */
export interface Places {
  /** The person's home folder. */
  readonly home: string;
  /** XDG_CONFIG_HOME: in the place of `.config` in the home folder, if it is set. */
  readonly configHome?: string | undefined;
}

/** What an assistant is to be told. */
export interface AssistantEndpoint extends Places {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** An access key of this assistant's own. */
  readonly key: string;
  /** The one that was chosen; the first of all for an assistant that needs none. */
  readonly model: ModelChoice;
  /** All that chat. */
  readonly models: readonly ModelChoice[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an assistant should have been told. */
export interface Expected extends Places {
  /** Undefined while it is not known: then any address will do. */
  readonly baseUrl: string | undefined;
  /** The access key of this assistant that counts, or undefined where there is none. */
  readonly key: string | undefined;
}

/** What a person sees before they agree. No text of it has a key in it. */
export interface Preview {
  readonly path: string;
  readonly exists: boolean;
  readonly before: string;
  readonly after: string;
  /** One line for each thing that changes. */
  readonly changes: readonly string[];
}

/** A change that nobody has made yet. Only `preview` may be shown. */
export interface Change {
  readonly kind: 'change';
  /** Where it is written: for a link, what it points to. */
  readonly path: string;
  /** The whole text of the file; undefined where there is none. */
  readonly before: string | undefined;
  readonly after: string;
  readonly preview: Preview;
}

/** `message` is a sentence for a person. */
export interface Refused {
  readonly kind: 'refused';
  readonly path: string;
  readonly message: string;
}

export interface Unchanged {
  readonly kind: 'unchanged';
  readonly path: string;
}

export type Plan = Change | Unchanged | Refused;

/** A change that was made, with what takes it back. It holds the file's text, so whoever keeps it keeps secrets. */
export interface Applied {
  readonly kind: 'applied';
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** The first folder that had to be made for the file. */
  readonly madeFolder: string | undefined;
  /** Others have written to it between two changes of ours: `before` cannot be restored as it was. */
  readonly mixed?: boolean;
}

export interface Undone {
  readonly kind: 'undone';
  readonly path: string;
  /** What is not as it was before, in a sentence. */
  readonly left?: string;
}

/** What an assistant is set to now. */
export type ConfigState =
  | { readonly kind: 'absent' }
  /** Ours. */
  | {
      readonly kind: 'current';
      readonly model: string | undefined;
      /** What it uses at the moment instead, chosen in the assistant itself. */
      readonly elsewhere?: string;
      /** There was no address to compare it with. */
      readonly uncompared?: boolean;
    }
  /** Ours, but of an older port or an older key. `model` is what to mend it with. */
  | {
      readonly kind: 'old';
      readonly baseUrl: boolean;
      readonly key: boolean;
      readonly model: string | undefined;
    }
  /** `what` it is set to instead. */
  | { readonly kind: 'other'; readonly what: string }
  | Refused;

/** What came back to one tiny request. `message` is a sentence for a person. */
export type Checked =
  { readonly kind: 'answered'; readonly message: string } | { readonly kind: 'failed'; readonly message: string };

/** Sends one tiny request to the proxy, with this key and for this model. Never rejects. */
export type Ask = (key: string, model: string) => Promise<Checked>;

export interface Assistant {
  readonly id: string;
  readonly name: string;
  /** Of several models, it works with the one that it is told. */
  readonly needsModel: boolean;
  /** What a person does next, in a sentence. */
  readonly next: string;
  /** The id of its extension for VS Code, where it has one. */
  readonly extension?: string | undefined;
  /** Whether it seems to be used here. */
  detect(places: Places): Promise<boolean>;
  /** What would change. Nothing is written. */
  plan(connection: AssistantEndpoint): Promise<Plan>;
  /** Makes the change, whole or not at all; refuses where the file is no longer what it was. */
  apply(change: Change): Promise<Applied | Refused>;
  /** Restores the bytes of before; where others have written since, takes out what is ours, or refuses. */
  undo(applied: Applied): Promise<Undone | Refused>;
  /** What it is set to. */
  inspect(expected: Expected): Promise<ConfigState>;
  /** Asks with the key and the model that it is set to, if it is set to us. */
  check(expected: Expected, ask: Ask): Promise<Checked>;
}
