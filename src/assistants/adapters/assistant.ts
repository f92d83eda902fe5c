// src/assistants configures AI assistants to use the proxy. It works on files and text, and must not import the editor.
// This file: what an assistant is, and how its configuration is planned, changed, restored and read.
import type { ChatModel } from '../../chat/models.ts';
import type { DialectName } from '../../dialects/dialect.ts';
import type { Applied, Change, Plan, Refused, Unchanged, Undone } from '../files/change.ts';
import type { RouteReading } from '../judging/judgement.ts';
import type { Environment, Surroundings } from '../judging/surroundings.ts';

/** A model, with what is known of it. */
export interface ModelChoice {
  readonly id: string;
  readonly name?: string;
  /** In tokens. */
  readonly limits?: { readonly contextWindow: number; readonly maxOutput: number };
  readonly tools?: boolean;
  readonly images?: boolean;
}

/** A model of the backend, with what assistants are told about it. */
export function choiceOf({ id, name, maxInputTokens, maxOutputTokens, tools, images }: ChatModel): ModelChoice {
  const limits = { contextWindow: maxInputTokens + maxOutputTokens, maxOutput: maxOutputTokens };
  return { id, name, limits, tools, images };
}

/** Where assistants keep their files. */
export interface Places {
  /** The user's home folder. */
  readonly home: string;
  /** XDG_CONFIG_HOME, which replaces `.config` in the home folder if it is set. */
  readonly configHome?: string | undefined;
  /** CLAUDE_CONFIG_DIR, which replaces `.claude` in the home folder if it is set. */
  readonly claudeHome?: string | undefined;
  /** CODEX_HOME, which replaces `.codex` in the home folder if it is set. */
  readonly codexHome?: string | undefined;
}

/** What is written to an assistant's configuration. */
export interface AssistantEndpoint extends Places {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** The access key of this assistant. */
  readonly key: string;
  /** The chosen model; the first one for an assistant that needs no choice. */
  readonly model: ModelChoice;
  /** The model for small tasks, if the assistant needs one. Undefined keeps the current one, or else uses `model`. */
  readonly smallModel?: ModelChoice | undefined;
  /** All models that can chat. */
  readonly models: readonly ModelChoice[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The variables of the user's shell, for those that ours add to. */
  readonly environment?: Environment | undefined;
}

/** What an assistant's configuration should contain. */
export interface Expected extends Places {
  /** Undefined while the address is unknown: then any address is accepted. */
  readonly baseUrl: string | undefined;
  /** The valid access key of this assistant, or undefined if it has no key. */
  readonly key: string | undefined;
}

/** What an assistant's configuration contains. */
export type ConfigState =
  /** It does not name any endpoint. */
  | { readonly kind: 'absent' }
  /** Our entry, with the expected address and key. */
  | {
      readonly kind: 'current';
      readonly model: string | undefined;
      /** The expected address was unknown, so the address was not compared. */
      readonly uncompared?: boolean;
    }
  /** Our entry with another address or key. `baseUrl` and `key` say which; `model` is used to repair it. */
  | {
      readonly kind: 'outdated';
      readonly baseUrl: boolean;
      readonly key: boolean;
      readonly model: string | undefined;
    }
  /** Another endpoint or model, named by `what`. */
  | { readonly kind: 'other'; readonly what: string }
  | Refused;

/** The result of one short request. `message` is for the user, in sentences. */
export interface CheckOutcome {
  readonly kind: 'answered' | 'failed';
  readonly message: string;
}

/** How to remove an assistant's entry, even if its configuration has changed since. */
export interface Disconnection {
  readonly places: Places;
  /** The change to undo, if it is known. */
  readonly applied?: Applied | undefined;
  /** See `Assistant.previousValues`; by default, those of the change. */
  readonly previous?: string | undefined;
  /** Whether an access key in a configuration is one to remove. */
  readonly isOurs: (key: string) => boolean;
}

export interface Assistant {
  readonly id: string;
  readonly name: string;
  /** It is configured with one model, which the user chooses. */
  readonly needsModel: boolean;
  /** It also has a model for small tasks, such as titles and summaries, which the user chooses as well. */
  readonly needsSmallModel?: boolean | undefined;
  /** The API that it speaks, if it is not Chat Completions. */
  readonly dialect?: DialectName | undefined;
  /** For the user, in a sentence: what to do once it is connected. */
  readonly next: string;
  /** The ID of its VS Code extension, if it has one. */
  readonly extension?: string | undefined;
  /** What starts it on the command line, if no other program is known to have this name. */
  readonly command?: string | undefined;
  /** Whether it seems to have been used on this computer, apart from its extension. */
  detect(places: Places): Promise<boolean>;
  /** What would change. Writes nothing. */
  plan(endpoint: AssistantEndpoint): Promise<Plan>;
  /** Makes the complete change or none of it. Refuses if the file has changed since the plan. */
  apply(change: Change): Promise<Applied | Refused>;
  /** Restores the previous bytes. If another program has written since, removes only our entry, or refuses. */
  undo(applied: Applied): Promise<Undone | Refused>;
  /** Removes our entry and, unless it may be needed, the backup. */
  disconnect(disconnection: Disconnection): Promise<Undone | Unchanged | Refused>;
  /**
   * The part of the text before a change that is needed to remove our entry if another program has written since. Only
   * for an assistant with a file; the others need both texts.
   */
  readonly previousValues?: (before: string, after: string) => string;
  /** The part of the text after a change that is ours: what has another value by then is the user's. */
  readonly writtenValues?: (after: string) => string;
  inspect(expected: Expected): Promise<ConfigState>;
  /** The ways in which its prompts leave it. Only for a configuration with our entry, as it is expected. */
  routes(expected: Expected, surroundings: Surroundings): Promise<RouteReading>;
}
