// Which assistants are connected, and how they become so: plans, keys and what takes a change back. It needs nothing of
// the editor but its secrets; what is asked and shown is connectAssistant.ts.
import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, parseJson } from '../shared/json.ts';
import { accessKeyId } from '../shared/accessKeys.ts';
import { makeAccessKey } from '../keys/accessKeys.ts';
import type { Snippet, Shell } from './snippets.ts';
import { refused } from './files/configFile.ts';
import type {
  Applied,
  Assistant,
  Change,
  Checked,
  AssistantEndpoint,
  ModelChoice,
  Places,
  Preview,
  Refused,
  ConfigState,
  Undone,
  Unchanged,
} from './types.ts';
import type { ChatModel } from '../chat/models.ts';
import { tryModel } from './modelCheck.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

export interface AssistantServiceHost {
  readonly supervisor: Pick<Supervisor, 'connect' | 'secretsChanged'>;
  readonly secrets: Pick<
    Secrets,
    'accessKeyNamed' | 'findAccessKey' | 'revokeAccessKey' | 'undoOf' | 'keepUndo' | 'forgetUndo'
  >;
  readonly assistants: readonly Assistant[];
  /** With `/v1`, while the proxy runs. */
  readonly baseUrl: () => string | undefined;
  /** The models that chat, as far as the backend is known. */
  readonly models: () => readonly ModelChoice[];
  /** Whether this editor has the extension of this id. */
  readonly isInstalled: (extension: string) => boolean;
  /** The person's own where it is left out. */
  readonly places?: Places;
  /** In milliseconds. */
  readonly checkLimit?: number;
}

/** An assistant and what it is set to. */
export interface AssistantState {
  readonly assistant: Assistant;
  readonly configState: ConfigState;
  /** Whether it seems to be used here. */
  readonly detected: boolean;
  /** A change of ours can be taken back. */
  readonly undoable: boolean;
}

export function namesOf(all: readonly { readonly assistant: Assistant }[]): string {
  return all.map(({ assistant }) => assistant.name).join(', ');
}

/** What a person has to agree to. */
export interface Proposal {
  readonly kind: 'proposal';
  readonly assistant: Assistant;
  readonly preview: Preview;
  readonly connection: AssistantEndpoint;
}

const ORIGIN = 'assistant';

export class AssistantService {
  readonly #host: AssistantServiceHost;
  readonly #places: Places;
  /** By the ids of keys: checks of this window that the proxy has not yet told of. */
  readonly #checks = new Map<string, number>();

  constructor(host: AssistantServiceHost) {
    this.#host = host;
    this.#places = host.places ?? { home: homedir(), configHome: process.env['XDG_CONFIG_HOME'] };
  }

  /** All of them, as they are now. */
  async look(): Promise<readonly AssistantState[]> {
    return Promise.all(
      this.#host.assistants.map(async (assistant) => ({
        assistant,
        configState: await this.inspect(assistant),
        detected: this.#isInstalled(assistant) || (await assistant.detect(this.#places)),
        undoable: (await this.#undoOf(assistant)) !== undefined,
      })),
    );
  }

  async inspect(assistant: Assistant): Promise<ConfigState> {
    return assistant.inspect(await this.#expected(assistant));
  }

  /**
   * What would be written. Nothing is, and no key is made.
   * @throws Error while it is not known where the proxy is
   */
  async propose(assistant: Assistant, model: ModelChoice): Promise<Proposal | Unchanged | Refused> {
    const isTold = await this.#isTold(assistant);
    const known = isTold ? undefined : await this.#host.secrets.findAccessKey(assistant.name, ORIGIN);
    const { key } = known ?? makeAccessKey(assistant.name, ORIGIN, Date.now());
    const connection = this.#connection(key, model);
    const plan = await assistant.plan(connection);
    return plan.kind === 'change' ? { kind: 'proposal', assistant, preview: plan.preview, connection } : plan;
  }

  /** Writes what was agreed to, with a key of the assistant's own; refuses where that is no longer what would be written. */
  async agree({ assistant, preview, connection }: Proposal): Promise<Applied | Refused> {
    if (await this.#isTold(assistant)) await this.#revoke(assistant);
    const key = await this.#keyFor(assistant);
    const plan = await assistant.plan({ ...connection, key });
    if (plan.kind === 'refused') return plan;
    if (plan.kind === 'unchanged' || !isDeepStrictEqual(plan.preview, preview)) {
      return refused(
        preview.path,
        `${preview.path} has been changed meanwhile. Nothing was written; look at it again.`,
      );
    }
    return this.#apply(assistant, plan);
  }

  /** Takes the changes of ours back, and revokes the assistant's key. */
  async undo(assistant: Assistant): Promise<Undone | Refused> {
    const applied = await this.#undoOf(assistant);
    if (applied === undefined) return refused('', `There is nothing to take back for ${assistant.name}.`);
    const result = await assistant.undo(applied);
    if (result.kind === 'refused') return result;
    await this.#revoke(assistant);
    await this.#host.secrets.forgetUndo(assistant.id);
    await this.#host.supervisor.secretsChanged(false);
    return result;
  }

  /** Their keys count no more, wherever they stand. */
  async revoke(assistants: readonly Assistant[]): Promise<void> {
    for (const assistant of assistants) await this.#revoke(assistant);
    await this.#host.supervisor.secretsChanged(false);
  }

  /** What has to be written so that all that point to an old place point to this one. */
  async proposeMending(found: readonly AssistantState[]): Promise<readonly (Proposal | Refused)[]> {
    const proposals: (Proposal | Refused)[] = [];
    for (const { assistant, configState: configState } of found) {
      if (configState.kind !== 'old') continue;
      const model = this.#modelNamed(configState.model);
      if (model === undefined) {
        proposals.push(refused('', `${assistant.name} has no model set: connect it anew.`));
        continue;
      }
      const proposal = await this.propose(assistant, model);
      if (proposal.kind !== 'unchanged') proposals.push(proposal);
    }
    return proposals;
  }

  /** Sends one tiny request as the assistant would. */
  async check(assistant: Assistant): Promise<Checked> {
    return assistant.check(await this.#expected(assistant), (key, model) => this.#ask(key, model));
  }

  /**
   * The text to be copied, with an access key of its own in it.
   * @throws Error while it is not known where the proxy is
   */
  async write(snippet: Snippet, model: ModelChoice, shell: Shell): Promise<string> {
    return snippet.write(this.#connection(await this.#keyFor(snippet), model), shell);
  }

  /** The same as `check`, for a text that was copied. */
  async checkSnippet(snippet: Snippet, model: ModelChoice): Promise<Checked> {
    return this.#ask(await this.#keyFor(snippet), model.id);
  }

  async #apply(assistant: Assistant, change: Change): Promise<Applied | Refused> {
    const earlier = await this.#undoOf(assistant);
    // First what takes it back: where that cannot be kept, nothing is written.
    await this.#keepUndo(assistant, joined(earlier, { ...change, kind: 'applied', madeFolder: undefined }));
    const applied = await assistant.apply(change);
    if (applied.kind === 'refused') {
      if (earlier === undefined) await this.#host.secrets.forgetUndo(assistant.id);
      else await this.#keepUndo(assistant, earlier);
      return applied;
    }
    await this.#keepUndo(assistant, joined(earlier, applied));
    return applied;
  }

  async #keepUndo({ id }: Assistant, { path, before, after, madeFolder, mixed }: Applied): Promise<void> {
    await this.#host.secrets.keepUndo(id, JSON.stringify({ path, before, after, madeFolder, mixed }));
  }

  #isInstalled({ extension }: Assistant): boolean {
    return extension !== undefined && this.#host.isInstalled(extension);
  }

  async #undoOf({ id }: Assistant): Promise<Applied | undefined> {
    return parseApplied(await this.#host.secrets.undoOf(id));
  }

  /** Its key has been sent to whoever has the old port by now: it does not count for the new one. */
  async #isTold(assistant: Assistant): Promise<boolean> {
    const configState = await this.inspect(assistant);
    return configState.kind === 'old' && configState.baseUrl && !configState.key;
  }

  async #revoke({ name }: Assistant): Promise<void> {
    const key = await this.#host.secrets.findAccessKey(name, ORIGIN);
    if (key !== undefined) await this.#host.secrets.revokeAccessKey(key.id);
  }

  async #keyFor({ name }: { readonly name: string }): Promise<string> {
    const known = await this.#host.secrets.findAccessKey(name, ORIGIN);
    if (known !== undefined) return known.key;
    const { key } = await this.#host.secrets.accessKeyNamed(name, ORIGIN);
    await this.#host.supervisor.secretsChanged(false); // it counts when it is given out
    return key;
  }

  async #expected({ name }: Assistant) {
    const key = await this.#host.secrets.findAccessKey(name, ORIGIN);
    return { ...this.#places, baseUrl: this.#host.baseUrl(), key: key?.key };
  }

  #connection(key: string, model: ModelChoice): AssistantEndpoint {
    const baseUrl = this.#host.baseUrl();
    if (baseUrl === undefined) throw new Error('The proxy is not running, so there is no address to write.');
    const known = this.#host.models();
    const models = known.length > 0 ? known : [model];
    return { ...this.#places, baseUrl, key, model, models, now: Date.now() };
  }

  #modelNamed(id: string | undefined): ModelChoice | undefined {
    const models = this.#host.models();
    if (id === undefined) return models[0];
    return models.find((model) => model.id === id) ?? { id };
  }

  /** True if the chat with this key that was answered just now was a check of this window. */
  wasCheck(id: string): boolean {
    const count = this.#checks.get(id) ?? 0;
    if (count > 0) this.#checks.set(id, count - 1);
    return count > 0;
  }

  async #ask(key: string, model: string): Promise<Checked> {
    const id = accessKeyId(key);
    this.#checks.set(id, (this.#checks.get(id) ?? 0) + 1);
    const outcome = await tryModel(this.#host.supervisor, key, model, this.#host.checkLimit);
    if (outcome.kind === 'failed') this.wasCheck(id); // it will not be told of
    return outcome;
  }
}

/** Two changes of ours are taken back as one; to the byte, as long as nobody else wrote in between. */
function joined(earlier: Applied | undefined, later: Applied): Applied {
  if (earlier?.path !== later.path) return later;
  const mixed = earlier.mixed === true || earlier.after !== later.before;
  return { ...later, before: earlier.before, madeFolder: earlier.madeFolder, mixed };
}

/** A model of the backend, as assistants are told of it. */
export function choiceOf({ id, name, maxInputTokens, maxOutputTokens, tools, images }: ChatModel): ModelChoice {
  return { id, name, contextWindow: maxInputTokens + maxOutputTokens, maxOutput: maxOutputTokens, tools, images };
}

/** What was stored, or undefined for what is not of its form. */
function parseApplied(text: string | undefined): Applied | undefined {
  const { path, before, after, madeFolder, mixed } = fieldsOf(parseJson(Buffer.from(text ?? '')));
  if (typeof path !== 'string' || typeof after !== 'string') return undefined;
  if (!isMaybeText(before) || !isMaybeText(madeFolder)) return undefined;
  return { kind: 'applied', path, before, after, madeFolder, mixed: mixed === true };
}

function isMaybeText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
